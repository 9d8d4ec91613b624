import {
  type ArtifactStore,
  type Clock,
  type JsonValue,
  operationHeld,
} from '@millforge/contracts';
import type { TaskContext, VerifyAdapter, WorkAdapter } from '../adapter.ts';
import type { AdapterBinding } from '../contract/goal-contract.ts';
import { type CaptureScope, captureSource } from './capture-source.ts';
import { openCapturedTree } from './captured-tree.ts';
import { fieldOf } from './field-of.ts';
import { judgeFinding } from './judge-finding.ts';
import { renderMarkdown } from './render-markdown.ts';
import { renderSarif } from './render-sarif.ts';
import { reportReview } from './report-review.ts';
import type { ReviewCapture } from './review-capture.ts';
import { loadDocument, plainOf, saveDocument } from './review-document.ts';
import type { JudgedFinding } from './review-finding.ts';
import type { ReviewRole } from './review-role.ts';
import type { ReviewSource } from './review-source.ts';
import { CAPTURE, REPORT, ROLE_PREFIX } from './review-tasks.ts';
import type { ReviewProposal, ReviewValidation } from './role-proposal.ts';
import { runRole } from './run-role.ts';

/** Reads the source once, and keeps its bytes. */
export function captureAdapter(
  binding: AdapterBinding,
  {
    source,
    scope,
    artifacts,
  }: {
    readonly source: ReviewSource;
    readonly scope: CaptureScope;
    readonly artifacts: ArtifactStore;
  },
): WorkAdapter {
  return {
    ...binding,
    kind: 'tool',
    async run(context) {
      // Every file is saved for the goal, so that neither a collection nor a backup loses it.
      const store: ArtifactStore = {
        put: (bytes, options) => context.saveArtifact(bytes, options),
        open: (digest) => artifacts.open(digest),
      };
      const capture = await captureSource(source, scope, { store, signal: context.signal });
      return {
        capture: await saveDocument(context, capture),
        revision: capture.revision,
        captured_revision: capture.captured_revision,
        files: capture.files.length,
        left_out: capture.left_out.length,
      };
    },
  };
}

/** Lets one role propose. */
export function roleAdapter(
  { kind, ...binding }: AdapterBinding,
  {
    role,
    artifacts,
    clock,
  }: { readonly role: ReviewRole; readonly artifacts: ArtifactStore; readonly clock: Clock },
): WorkAdapter {
  return {
    ...binding,
    kind: kind === 'model' ? kind : 'tool',
    async run(context) {
      const capture = await loadCapture(artifacts, context);
      const tree = openCapturedTree(artifacts, capture);
      const proposal = await runRole(role, { tree, context, clock });
      return {
        proposal: await saveDocument(context, proposal),
        role: role.role,
        origin: role.origin,
        findings: proposal.findings.length,
        failure: plainOf(proposal.failure),
      };
    },
  };
}

/** Judges every finding against the captured bytes. */
export function validateAdapter(binding: AdapterBinding, artifacts: ArtifactStore): VerifyAdapter {
  return {
    ...binding,
    kind: 'verify',
    async run(context) {
      const capture = await loadCapture(artifacts, context);
      const tree = openCapturedTree(artifacts, capture);
      const findings: JudgedFinding[] = [];
      for (const proposal of await loadProposals(artifacts, context)) {
        for (const finding of proposal.findings) findings.push(await judgeFinding(finding, tree));
      }
      const { captured_revision } = capture;
      const judged: ReviewValidation = {
        kind: 'review_validation',
        schema_version: '1.0',
        captured_revision,
        findings,
      };
      const validation = await saveDocument(context, judged);
      const rejected = findings.filter(({ verdict }) => verdict === 'rejected').length;
      const isDamaged = findings.some(
        (one) => one.verdict === 'rejected' && one.reason === 'digest-differs',
      );
      // A false finding is found out and told; only a capture that does not hold makes all of it worthless.
      return context.verdict(isDamaged ? 'fail' : 'pass', {
        evidence: {
          validation,
          captured_revision,
          accepted: findings.length - rejected,
          rejected,
        },
      });
    },
  };
}

/** Puts the report together, in three forms. */
export function reportAdapter(binding: AdapterBinding, artifacts: ArtifactStore): WorkAdapter {
  return {
    ...binding,
    kind: 'tool',
    async run(context) {
      const { validate } = context.outputs;
      const evidence = fieldOf(validate, 'evidence');
      const report = reportReview(context.goalId, {
        capture: await loadCapture(artifacts, context),
        proposals: await loadProposals(artifacts, context),
        validation: await loadDocument<ReviewValidation>(
          artifacts,
          fieldOf(evidence, 'validation'),
          'review_validation',
        ),
      });
      const markdown = await context.saveArtifact(Buffer.from(renderMarkdown(report)), {
        mediaType: 'text/markdown',
        maxBytes: MAX_RENDERED_BYTES,
      });
      const sarif = await context.saveArtifact(Buffer.from(JSON.stringify(renderSarif(report))), {
        mediaType: 'application/sarif+json',
        maxBytes: MAX_RENDERED_BYTES,
      });
      return {
        report: await saveDocument(context, report),
        markdown: markdown.sha256,
        sarif: sarif.sha256,
        result: report.result,
      };
    },
  };
}

/** Waits for a person, whose answer is the verdict; nobody else can give one. */
export function signOffAdapter(binding: AdapterBinding): VerifyAdapter {
  return {
    ...binding,
    kind: 'verify',
    async run(context) {
      const [report, result] = ['report', 'result'].map((name) =>
        fieldOf(context.outputs[REPORT], name),
      );
      const asked = await context.perform(
        {
          key: 'sign-off',
          step: 1,
          kind: 'read',
          effect: 'none',
          repeat: 'safe',
          metered: false,
          input: { report: report ?? null, result: result ?? null },
          describe: 'take the report of the review',
        },
        async () => {
          throw operationHeld({
            code: 'sign-off',
            message: 'The review is written; read its report, then approve or deny it.',
            data: { for: 'sign-off', expires_after_seconds: SIGN_OFF_SECONDS },
          });
        },
      );
      const answer: JsonValue = asked.kind === 'done' ? asked.value : null;
      const isTaken = fieldOf(answer, 'decision') === 'approved';
      return context.verdict(isTaken ? 'pass' : 'fail', {
        evidence: { report: report ?? null, answer },
      });
    },
  };
}

function loadCapture(artifacts: ArtifactStore, context: TaskContext): Promise<ReviewCapture> {
  const digest = fieldOf(context.outputs[CAPTURE], 'capture');
  return loadDocument<ReviewCapture>(artifacts, digest, 'review_capture');
}

function loadProposals(
  artifacts: ArtifactStore,
  { outputs }: TaskContext,
): Promise<readonly ReviewProposal[]> {
  const roles = Object.keys(outputs).filter((task) => task.startsWith(ROLE_PREFIX));
  return Promise.all(
    roles.map((task) =>
      loadDocument<ReviewProposal>(
        artifacts,
        fieldOf(outputs[task], 'proposal'),
        'review_proposal',
      ),
    ),
  );
}

const MAX_RENDERED_BYTES = 67_108_864;
/** The answer is used at once; the time is what the answer says of itself. */
const SIGN_OFF_SECONDS = 86_400;
