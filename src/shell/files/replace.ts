import type { FileSession } from './session.js';

/** Renames the file to its target, atomically if the guest supports it. */
export async function replace(session: FileSession, from: string, to: string): Promise<void> {
  const { sftp } = session;
  try {
    await session.run((done) => sftp.ext_openssh_rename(from, to, done));
  } catch (error) {
    if (!(error instanceof Error && /does not support/.test(error.message))) throw error;
    await session.run((done) => sftp.unlink(to, done)).catch(() => undefined);
    await session.run((done) => sftp.rename(from, to, done));
  }
}
