import { linkFault } from './link-fault.ts';

/** A secret by its name, and how its value is had. */
export interface McpSecret {
  /** Name under which it stands in documents. */
  readonly ref: string;
  /** Gives the value when a server is started; it is kept nowhere. */
  readonly read: () => string | Promise<string>;
}

/** Reads a secret; one that cannot be had is told by its name alone, whatever its keeper says. */
export async function readSecret(secret: McpSecret): Promise<string> {
  try {
    return await secret.read();
  } catch {
    throw linkFault('refused', `The secret ${secret.ref} cannot be had; the server needs it.`);
  }
}
