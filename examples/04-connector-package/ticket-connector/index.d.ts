import type { ConnectorTransport } from '@millforge/connectors';

/** The way to a ticket service. */
export declare function ticketTransport(options: {
  /** Where the service is. */
  readonly url: string;
  /** Version of the service, as the operator knows it. */
  readonly version: string;
}): ConnectorTransport;
