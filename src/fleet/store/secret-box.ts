import { createCipheriv, createDecipheriv, createHmac, randomBytes } from 'node:crypto';
import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ApiError } from '../../contract/errors.js';

const KEY_BYTES = 32;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/** The file in a state directory with the key of its encrypted secrets. */
export function keyFile(directory: string): string {
  return join(directory, 'secret.key');
}

/**
 * Encrypts secrets that must be readable later, with AES-256-GCM. The key is in a separate file,
 * created at first use, so the database alone does not reveal the secrets.
 */
export class SecretBox {
  readonly #path: string;
  #key: Buffer | undefined;

  constructor(directory: string) {
    this.#path = keyFile(directory);
  }

  /** `context` names the row of the text; opening needs the same one. */
  seal(text: string, context: string): string {
    const nonce = randomBytes(NONCE_BYTES);
    const cipher = createCipheriv('aes-256-gcm', this.#getKey(), nonce);
    cipher.setAAD(Buffer.from(context));
    const sealed = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
    return Buffer.concat([nonce, cipher.getAuthTag(), sealed]).toString('base64');
  }

  /** Undefined when it was sealed with another key or context, or was changed since. */
  open(sealed: string, context: string): string | undefined {
    const bytes = Buffer.from(sealed, 'base64');
    try {
      const nonce = bytes.subarray(0, NONCE_BYTES);
      const decipher = createDecipheriv('aes-256-gcm', this.#getKey(), nonce);
      decipher.setAAD(Buffer.from(context));
      decipher.setAuthTag(bytes.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES));
      const text = decipher.update(bytes.subarray(NONCE_BYTES + TAG_BYTES));
      return Buffer.concat([text, decipher.final()]).toString('utf8');
    } catch (error) {
      if (error instanceof ApiError) throw error;
      return undefined;
    }
  }

  /** A signature of the text that only this key gives, 64 hexadecimal digits; `purpose` has its own. */
  sign(purpose: string, text: string): string {
    const key = createHmac('sha256', this.#getKey()).update(`sign ${purpose}`).digest();
    return createHmac('sha256', key).update(text).digest('hex');
  }

  #getKey(): Buffer {
    this.#key ??= this.#read() ?? this.#make();
    return this.#key;
  }

  #read(): Buffer | undefined {
    try {
      const key = readFileSync(this.#path);
      if (key.length === KEY_BYTES) return key;
    } catch (cause) {
      if (cause instanceof Error && 'code' in cause && cause.code === 'ENOENT') return undefined;
      throw this.#unusable('it cannot be read', cause);
    }
    throw this.#unusable(`it does not hold ${KEY_BYTES} bytes`);
  }

  #make(): Buffer {
    const key = randomBytes(KEY_BYTES);
    try {
      // Written to a temporary file first, so that a crash leaves no partial key.
      writeFileSync(`${this.#path}.new`, key, { mode: 0o600, flush: true });
      renameSync(`${this.#path}.new`, this.#path);
    } catch (cause) {
      throw this.#unusable('it cannot be written', cause);
    }
    return key;
  }

  #unusable(why: string, cause?: unknown): ApiError {
    const message = `The key of the stored secrets, ${this.#path}, is unusable: ${why}.`;
    return new ApiError('internal', message, { cause });
  }
}
