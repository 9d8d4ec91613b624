/** On whose behalf a call is made; given by the host on every call, never by a model. */
export interface Scope {
  /** Whose goals are meant; goals of another tenant read as not found. 1 to 128 characters. */
  readonly tenant: string;
  /** What the host works on; recorded with a goal at admission, not used to find it. */
  readonly resource: string;
  /** Who acts, as it stands in the trail: `ann@host`. */
  readonly actor: string;
}
