import { appendFile, link, open, readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { type Ids, isSha256, sha256 } from '@millforge/contracts';
import { makeFolder } from '../make-folder.ts';

/** One message as it arrives. */
export interface LocalMessage {
  readonly operationId: string;
  readonly bytes: Uint8Array;
}

/**
 * A receiver that keeps what it applied in files.
 *
 * `operations/<id>` exists once for each operation that was applied or sealed: its creation is what decides.
 * `deliveries` has a line for each message that arrived, `applied` one for each that took effect.
 */
export interface LocalReceiver {
  /** Applies a message unless its operation is known; tells whether the operation is applied by now. */
  receive(message: LocalMessage): Promise<boolean>;
  /** Keeps a message, to be applied later. */
  keep(message: LocalMessage): Promise<void>;
  /** Applies what was kept and is not too old. */
  applyWaiting(): Promise<void>;
  /** Forgets what was kept and is too old, so that it is not applied whatever the clock says later. */
  dropLate(): Promise<void>;
  /** What became of an operation. */
  look(operationId: string): Promise<'applied' | 'sealed' | null>;
  /** Refuses an operation from here on; false when it was applied already. */
  seal(operationId: string): Promise<boolean>;
}

/** Opens a receiver on a directory, which is made when it is missing. */
export function createLocalReceiver({
  directory,
  ids,
  now,
  settleMs,
}: {
  readonly directory: string;
  readonly ids: Ids;
  readonly now: () => number;
  readonly settleMs: number | null;
}): LocalReceiver {
  const place = async (folder: string, name: string): Promise<string> => {
    if (!isSha256(name)) throw new TypeError(`An operation has a digest for a name, not ${name}.`);
    makeFolder(join(directory, folder), 0o700);
    return join(directory, folder, name);
  };
  const note = async (log: string, operationId: string): Promise<void> => {
    makeFolder(directory, 0o700);
    await appendFile(join(directory, log), `${operationId}\n`);
  };

  /** Creates a file with its whole content, durably, if there is none of that name. */
  const createOnce = async (path: string, bytes: Uint8Array | string): Promise<boolean> => {
    const unfinished = join(directory, ids.newId('unfinished'));
    const file = await open(unfinished, 'wx', 0o600);
    try {
      await file.writeFile(bytes);
      await file.sync();
    } finally {
      await file.close();
    }
    try {
      await link(unfinished, path);
      return true;
    } catch (error) {
      if (hasCode(error, 'EEXIST')) return false;
      throw error;
    } finally {
      await rm(unfinished, { force: true });
    }
  };

  const look: LocalReceiver['look'] = async (operationId) => {
    const text = await readText(await place('operations', operationId));
    return text === null ? null : text.startsWith('sealed') ? 'sealed' : 'applied';
  };

  const apply = async ({ operationId, bytes }: LocalMessage): Promise<boolean> => {
    await createOnce(await place('payloads', operationId), bytes);
    const path = await place('operations', operationId);
    if (await createOnce(path, `applied ${sha256(bytes)}\n`)) {
      await note('applied', operationId);
      return true;
    }
    return (await look(operationId)) === 'applied';
  };

  const takeWaiting = async (
    take: ((message: LocalMessage) => Promise<void>) | null,
  ): Promise<void> => {
    for (const operationId of await list(join(directory, 'waiting'))) {
      const path = await place('waiting', operationId);
      const text = await readText(path);
      if (text === null) continue;
      const kept: unknown = JSON.parse(text);
      const message = readKept(kept, { operationId, now: now() });
      if (message !== null && take === null) continue;
      if (message !== null) await take?.(message);
      await rm(path, { force: true });
    }
  };

  return {
    look,
    async receive(message) {
      await note('deliveries', message.operationId);
      return apply(message);
    },
    async keep(message) {
      await note('deliveries', message.operationId);
      const kept = JSON.stringify({
        bytes: Buffer.from(message.bytes).toString('base64'),
        untilMs: settleMs === null ? null : now() + settleMs,
      });
      await createOnce(await place('waiting', message.operationId), kept);
    },
    applyWaiting: () => takeWaiting(async (message) => void (await apply(message))),
    dropLate: () => takeWaiting(null),
    async seal(operationId) {
      const path = await place('operations', operationId);
      if (await createOnce(path, 'sealed\n')) return true;
      return (await look(operationId)) === 'sealed';
    },
  };
}

/** A message that was kept; null when it is too old to be applied. */
function readKept(
  kept: unknown,
  { operationId, now }: { readonly operationId: string; readonly now: number },
): LocalMessage | null {
  if (typeof kept !== 'object' || kept === null) return null;
  const { bytes, untilMs } = { bytes: null, untilMs: null, ...kept };
  if (typeof bytes !== 'string') return null;
  if (typeof untilMs === 'number' && now >= untilMs) return null;
  return { operationId, bytes: Buffer.from(bytes, 'base64') };
}

async function list(directory: string): Promise<readonly string[]> {
  try {
    return (await readdir(directory)).toSorted();
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return [];
    throw error;
  }
}

async function readText(path: string): Promise<string | null> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return null;
    throw error;
  }
}

function hasCode(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code;
}
