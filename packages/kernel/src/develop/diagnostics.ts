import { defineDiagnostics } from '@millforge/contracts';

const phase = 'contract';

/** The diagnostics that only the contract of a development has; its form has those of every contract. */
export const foundInDevelop = defineDiagnostics('MF-D', {
  duplicateCriterion: {
    code: 'MF-D010',
    name: 'duplicate-criterion',
    phase,
    message: ({ criterion }: { criterion: string }) => `Two criteria are named ${criterion}.`,
  },
  invalidPathRule: {
    code: 'MF-D011',
    name: 'invalid-path-rule',
    phase,
    message: () =>
      'The rule is no relative path; expected parts without . and .. joined by /, at most four *, and ** only at the front.',
  },
});
