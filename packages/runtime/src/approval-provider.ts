import type { ApprovalRequest } from '@millforge/registry';

/** Asks whether a call may be performed: a person at a terminal, a service, a rule of the host. */
export interface ApprovalProvider {
  /**
   * Answers one question, as late as it likes; whatever it throws, and whatever it gives that is no answer,
   * means no. The signal aborts when the answer is not wanted any more.
   */
  request(
    request: ApprovalRequest,
    options: {
      /** One line for a person: `edit src/sum.js`. */
      readonly describe: string;
      /** Aborts when the run stops. */
      readonly signal: AbortSignal;
    },
  ): Promise<ApprovalAnswer>;
}

/** What was answered; `later` holds the run until somebody decides, where the run is kept. */
export type ApprovalAnswer =
  | {
      /** What was decided. */
      readonly kind: 'approved' | 'declined';
      /** Who decided. */
      readonly actor: string;
      /** Why; may be empty. */
      readonly reason: string;
    }
  | {
      /** Nobody answers now. */
      readonly kind: 'later';
    };
