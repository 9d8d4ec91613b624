/** One thing that works on this machine, or does not. */
export interface DoctorFinding {
  /** What was looked at. */
  readonly subject: string;
  /** Whether it is as it must be. */
  readonly isRight: boolean;
  /** One sentence: what was found, and what to do when it is wrong. */
  readonly message: string;
}
