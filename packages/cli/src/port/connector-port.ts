import type { ConnectorTransport } from '@millforge/connectors';

/** Makes the way to the server of a connector. */
export type ConnectorOpener = (
  settings: ConnectorSettings,
  options: {
    /** Environment in which secrets are looked up by name. */
    readonly env: Readonly<Record<string, string | undefined>>;
  },
) => ConnectorTransport;

/** How the server of a connector is reached; no secret, at most the name of its variable. */
export interface ConnectorSettings {
  /** The operator's name of the connector. */
  readonly connectorId: string;
  /** The way. */
  readonly transport:
    | {
        /** A program of this host. */
        readonly kind: 'stdio';
        /** Its name. */
        readonly name: string;
        /** Its version, where one is known. */
        readonly version: string | null;
        /** Absolute path of the program. */
        readonly command: string;
        /** Its arguments. */
        readonly args: readonly string[];
        /** Its working directory, absolute. */
        readonly folder: string;
        /** Its environment. */
        readonly environment: Readonly<Record<string, string>>;
        /** Variables of this process that it is given, by the name under which it sees them. */
        readonly secrets: Readonly<Record<string, string>>;
        /** Files whose bytes are pinned, absolute. */
        readonly pinnedFiles: readonly string[];
      }
    | {
        /** A service. */
        readonly kind: 'http';
        /** Its name. */
        readonly name: string;
        /** Its version. */
        readonly version: string;
        /** Its address. */
        readonly url: string;
        /** Variable that holds its token; null for none. */
        readonly tokenEnv: string | null;
        /** How it is logged in to; null where it is not. */
        readonly login: ConnectorLoginSettings | null;
        /** Whether addresses of this machine and of private networks may be connected to. */
        readonly allowPrivateAddresses: boolean;
        /** Whether `http:` is spoken. */
        readonly allowPlainHttp: boolean;
      };
}

/** How a service is logged in to; the tokens are kept in the user's configuration, never in a project. */
export interface ConnectorLoginSettings {
  /** Its authorization server; null for the service itself. */
  readonly authorizationServer: string | null;
  /** Name under which this program is known there; null where it registers itself. */
  readonly clientId: string | null;
  /** What is asked for; null for what the service names. */
  readonly scope: string | null;
}

/** Has somebody log in to the service of a connector, and keeps the tokens. */
export type ConnectorLogin = (
  settings: ConnectorSettings,
  options: {
    /** Environment, by which the user's configuration is found. */
    readonly env: Readonly<Record<string, string | undefined>>;
    /** Told the address that has to be opened in a browser. */
    readonly onUrl: (url: string) => void;
    /** Stops it. */
    readonly signal: AbortSignal;
  },
) => Promise<void>;
