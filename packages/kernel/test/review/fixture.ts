import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { JsonValue, ModelClient, ModelRequest } from '@millforge/contracts';
import {
  createReview,
  gitCommit,
  type ReviewOptions,
  type ReviewReport,
  type ReviewSource,
  startReview,
} from '@millforge/kernel/review';
import { open, scope, systemClock, temporaryDirectory } from '../fixture.ts';

/** Runs git for a test, without the settings of whoever runs it. */
export function git(directory: string, ...args: readonly string[]): string {
  return execFileSync('git', ['-C', directory, ...args], {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'pipe'],
    env: {
      PATH: process.env['PATH'],
      HOME: directory,
      GIT_CONFIG_NOSYSTEM: '1',
      GIT_AUTHOR_NAME: 'Ann',
      GIT_AUTHOR_EMAIL: 'ann@host',
      GIT_COMMITTER_NAME: 'Ann',
      GIT_COMMITTER_EMAIL: 'ann@host',
    },
  }).trim();
}

/** Writes files into a directory. */
export function writeTree(
  directory: string,
  files: { readonly [path: string]: string | Uint8Array },
): void {
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(directory, path)), { recursive: true });
    writeFileSync(join(directory, path), content);
  }
}

/** A repository with one commit of these files. */
export function repositoryOf(files: { readonly [path: string]: string | Uint8Array }): string {
  const directory = temporaryDirectory();
  git(directory, 'init', '-q', '-b', 'main');
  commitAll(directory, files);
  return directory;
}

/** Commits these files, and gives the name of the commit. */
export function commitAll(
  directory: string,
  files: { readonly [path: string]: string | Uint8Array },
): string {
  writeTree(directory, files);
  git(directory, 'add', '-A');
  git(directory, 'commit', '-q', '-m', 'change');
  return git(directory, 'rev-parse', 'HEAD');
}

/** The newest commit of a repository. */
export function head(repository: string): Promise<ReviewSource> {
  return gitCommit({ repository, commit: 'HEAD', env: process.env });
}

/** A model that answers with what a function says, and counts how often it was asked. */
export function answering(
  answer: (request: ModelRequest, count: number) => string | null,
): ModelClient & { readonly requests: readonly ModelRequest[] } {
  const requests: ModelRequest[] = [];
  return {
    requests,
    async complete(request) {
      requests.push({ ...request, messages: [...request.messages] });
      return {
        kind: 'reply',
        attempts: 1,
        reply: {
          content: answer(request, requests.length),
          reasoning: null,
          tool_calls: [],
          finish_reason: 'stop',
          usage: { input_tokens: 10, output_tokens: 5 },
          provider_model: null,
        },
      };
    },
  };
}

/** An answer in the form that a model is asked for. */
export function answerOf(findings: readonly JsonValue[], skipped: readonly string[] = []): string {
  return JSON.stringify({ findings, skipped });
}

/** Makes a review and runs it to its end in a kernel of its own. */
export async function review(options: ReviewOptions): Promise<ReviewReport> {
  const kernel = await open(temporaryDirectory());
  const started = await startReview(
    { kernel, scope, clock: systemClock },
    { reviewId: 'review-1', review: createReview(options) },
  );
  const { goal, report } = await started.done;
  if (report === null)
    throw new Error(`The review is ${goal.state}: ${goal.failure?.message ?? ''}`);
  return report;
}
