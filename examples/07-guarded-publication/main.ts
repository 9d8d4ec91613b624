import { spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { digest } from 'millforge/contracts';
import { createPublications, type IntendRequest } from 'millforge/kernel/publication';
import { contract, makeRelease, openTrail, publisherFor, scope } from './release.ts';
import { countPushes, makeRepositories } from './repositories.ts';

const folder = await mkdtemp(join(tmpdir(), 'millforge-example-07-'));
try {
  const update = makeRepositories(folder);
  const publisher = publisherFor(folder);
  await using kernel = await openTrail(folder);
  await makeRelease(kernel, update);

  // #region approve
  const publications = createPublications(kernel);
  const request: IntendRequest = {
    policy: 'A maintainer approves each release.',
    revision: 'Version 7',
    action: { publisher: publisher.name, target: publisher.target },
    payloadSha256: digest({ ...update }),
    checkedBy: publisher,
  };
  const intended = await publications.intend(scope, contract.goal_id, request);
  const name = { goalId: contract.goal_id, publicationId: intended.publication_id };
  console.log(`${intended.publication_id} is ${intended.state}`);
  const approved = await publications.approve(scope, name, {
    intentSha256: intended.intent_sha256,
    validForMs: 60_000,
    reason: 'I read the commit.',
  });
  // #endregion
  console.log(`${approved.publication_id} is ${approved.state} by ${approved.approval?.by}`);

  console.log(`the sender was ended by ${await startSender()}`);
  const left = await publications.read(scope, name);
  console.log(`${left.publication_id} is ${left.state}, and nobody sends it`);
  const refused = await publications
    .dispatch(scope, name, { publisher, confirmApprover: () => true })
    .catch((error: Error) => error);
  console.log(`sent again: ${refused instanceof Error ? refused.message : refused.state}`);

  // #region reconcile
  const found = await publications.reconcile(scope, name, { publisher });
  console.log(`${found.publication_id} is ${found.state}: ${found.message}`);
  // #endregion
  console.log(`pushes that arrived: ${countPushes(folder)}`);
  const again = await publications.intend(scope, contract.goal_id, request);
  console.log(`intended again, it is ${again.publication_id} and ${again.state}`);

  for await (const { type } of kernel.readTrail(scope, contract.goal_id)) {
    if (type.startsWith('publication')) console.log(`the trail says: ${type}`);
  }
  const verdict = await kernel.verifyTrail(scope);
  console.log(verdict.ok ? 'the trail verifies' : verdict.what);
} finally {
  await rm(folder, { recursive: true, force: true });
}

function startSender(): Promise<string | null> {
  return new Promise((done, fail) => {
    const child = spawn(process.execPath, [...process.execArgv, 'sender.ts', folder], {
      stdio: 'inherit',
    });
    child.on('error', fail);
    child.on('close', (_code, signal) => done(signal));
  });
}
