/** What this package throws. */
export type ConnectorErrorCode =
  | 'connectors/admission-invalid'
  | 'connectors/duplicate-connector'
  | 'connectors/not-admitted'
  | 'connectors/unknown-connector';
