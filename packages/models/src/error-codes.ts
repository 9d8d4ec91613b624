/** Codes of the errors that this package throws; each is a mistake of the host program. */
export type ModelsErrorCode =
  | 'models/invalid-profile'
  | 'models/invalid-proxy'
  | 'models/invalid-script';
