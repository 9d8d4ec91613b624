import type { ConnectorLogin } from '@millforge/cli';
import { logInToMcp } from '@millforge/connector-mcp';
import { millforgeError } from '../millforge-error.ts';
import { serviceOf } from './service-of.ts';

/** Has somebody log in to the service of a connector in a browser, and keeps the tokens for the user. */
export const logInToConnector: ConnectorLogin = async ({ transport }, { env, onUrl, signal }) => {
  if (transport.kind !== 'http' || transport.login === null) {
    throw millforgeError('millforge/usage', 'The connector has no service that is logged in to.');
  }
  await logInToMcp({ service: serviceOf(transport, env), onUrl, signal });
};
