/** What people ask of a run that is going on. */
export interface SteeringRequest {
  /** What they say to the model, in order. */
  readonly messages: readonly string[];
  /** Why the run is to end now, as cancelled; null when it is not. */
  readonly stop: string | null;
}

/** Brings what people say to a run; asked between steps, never in the middle of one. */
export interface Steering {
  /** What has come since the last time; null when nothing has. What is given is not given again. */
  take(): SteeringRequest | null;
}
