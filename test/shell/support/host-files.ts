import {
  closeSync,
  fstatSync,
  openSync,
  readSync,
  renameSync,
  statSync,
  unlinkSync,
  writeSync,
} from 'node:fs';
import { resolve } from 'node:path';
import ssh2, { type SFTPWrapper } from 'ssh2';

const { STATUS_CODE } = ssh2.utils.sftp;

/** Serves the regular files of a directory of this machine, and counts the bytes. */
export function hostFiles(directory: string) {
  const count = { read: 0, written: 0 };
  const at = (path: string) => resolve(directory, path);
  function serve(sftp: SFTPWrapper): void {
    const attempt = (id: number, work: () => void) => {
      try {
        work();
      } catch (error) {
        const isMissing = (error as NodeJS.ErrnoException).code === 'ENOENT';
        sftp.status(id, isMissing ? STATUS_CODE.NO_SUCH_FILE : STATUS_CODE.FAILURE);
      }
    };
    const attrs = (stats: ReturnType<typeof statSync> & object) => {
      const { mode, uid, gid, size, atimeMs, mtimeMs } = stats;
      const [atime, mtime] = [atimeMs, mtimeMs].map((ms) => Math.floor(Number(ms) / 1000));
      return {
        mode: Number(mode),
        uid: Number(uid),
        gid: Number(gid),
        size: Number(size),
        atime: atime ?? 0,
        mtime: mtime ?? 0,
      };
    };
    const fd = (handle: Buffer) => handle.readUInt32BE(0);
    sftp.on('REALPATH', (id, path) =>
      sftp.name(id, [{ filename: at(path), longname: '', attrs: {} as never }]),
    );
    sftp.on('STAT', (id, path) => attempt(id, () => sftp.attrs(id, attrs(statSync(at(path))))));
    sftp.on('FSTAT', (id, handle) =>
      attempt(id, () => sftp.attrs(id, attrs(fstatSync(fd(handle))))),
    );
    sftp.on('FSETSTAT', (id) => sftp.status(id, STATUS_CODE.OK));
    sftp.on('OPEN', (id, path, flags, { mode }) =>
      attempt(id, () => {
        const opened = openSync(at(path), ssh2.utils.sftp.flagsToString(flags) ?? 'r', mode);
        const handle = Buffer.alloc(4);
        handle.writeUInt32BE(opened);
        sftp.handle(id, handle);
      }),
    );
    sftp.on('READ', (id, handle, offset, length) =>
      attempt(id, () => {
        const data = Buffer.alloc(length);
        const read = readSync(fd(handle), data, 0, length, offset);
        count.read += read;
        if (read === 0) sftp.status(id, STATUS_CODE.EOF);
        else sftp.data(id, data.subarray(0, read));
      }),
    );
    sftp.on('WRITE', (id, handle, offset, data) =>
      attempt(id, () => {
        count.written += writeSync(fd(handle), data, 0, data.length, offset);
        sftp.status(id, STATUS_CODE.OK);
      }),
    );
    sftp.on('CLOSE', (id, handle) => {
      closeSync(fd(handle));
      sftp.status(id, STATUS_CODE.OK);
    });
    sftp.on('RENAME', (id, from, to) =>
      attempt(id, () => {
        renameSync(at(from), at(to));
        sftp.status(id, STATUS_CODE.OK);
      }),
    );
    sftp.on('REMOVE', (id, path) =>
      attempt(id, () => {
        unlinkSync(at(path));
        sftp.status(id, STATUS_CODE.OK);
      }),
    );
  }
  return { serve, count };
}
