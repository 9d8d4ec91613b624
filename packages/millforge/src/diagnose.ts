import { stat } from 'node:fs/promises';
import type { DoctorFinding } from '@millforge/cli';
import { MillforgeError } from '@millforge/contracts';
import type { Kernel } from '@millforge/kernel';
import { makeFolder } from '@millforge/kernel/artifacts';
import type { RegistrySnapshot } from '@millforge/registry';
import { createHostSandbox } from './sandbox/create-host-sandbox.ts';

/** Looks at what a durable run needs: platform, Node, tools, data directory, driver, trail; and at the sandbox. */
export async function diagnose(parts: {
  /** Directory of the trail; null when nothing is kept. */
  readonly dataDir: string | null;
  /** Opens the trail. */
  readonly openTrail: (dataDir: string) => Promise<Kernel>;
  /** The tools. */
  readonly snapshot: RegistrySnapshot;
  /** What this runs on. */
  readonly platform: NodeJS.Platform;
}): Promise<readonly DoctorFinding[]> {
  const findings: DoctorFinding[] = [
    {
      subject: 'platform',
      isRight: parts.platform !== 'win32',
      message:
        parts.platform === 'win32'
          ? 'Native Windows compiles and inspects only; run under WSL.'
          : `${parts.platform} ${process.arch}, Node ${process.versions.node}.`,
    },
    {
      subject: 'tools',
      isRight: true,
      message: `${parts.snapshot.records.length} tools, snapshot ${parts.snapshot.snapshotSha256.slice(0, 12)}.`,
    },
  ];
  // Where nothing is run, nothing is made either.
  if (parts.dataDir === null || parts.platform === 'win32') return findings;
  findings.push(await lookAtSandbox());
  findings.push(await lookAtDirectory(parts.dataDir));
  findings.push(...(await lookAtTrail(parts.openTrail(parts.dataDir))));
  return findings;
}

/** A host without it is right too: nothing then runs in a sandbox that would need it. */
async function lookAtSandbox(): Promise<DoctorFinding> {
  await using sandbox = createHostSandbox();
  const details = (await sandbox.report()).map(({ tier, isAvailable, detail }) =>
    isAvailable ? `${tier}: ${detail}` : `no ${tier}: ${detail}`,
  );
  return { subject: 'sandbox', isRight: true, message: `${details.join('; ')}.` };
}

async function lookAtDirectory(directory: string): Promise<DoctorFinding> {
  const subject = 'data directory';
  try {
    makeFolder(directory, 0o700);
    const mode = (await stat(directory)).mode & 0o777;
    const isPrivate = (mode & 0o077) === 0;
    return {
      subject,
      isRight: isPrivate,
      message: isPrivate
        ? `${directory}, readable by its owner only.`
        : `${directory} is open to others (mode ${mode.toString(8)}); run chmod 700 on it.`,
    };
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown';
    return {
      subject,
      isRight: false,
      message: `${directory} cannot be made (${code}); choose another with --data.`,
    };
  }
}

/** Nothing is wrong with the machine then, but somebody has to look. */
function openPublications(unknown: number): readonly DoctorFinding[] {
  if (unknown === 0) return [];
  const message = `${unknown} sent and without a known end; find them with 'millforge publish list', then 'millforge publish reconcile'.`;
  return [{ subject: 'publications', isRight: true, message }];
}

async function lookAtTrail(kernel: Promise<Kernel>): Promise<readonly DoctorFinding[]> {
  try {
    const facts = await (await kernel).examine();
    return [
      { subject: 'sqlite driver', isRight: true, message: `SQLite ${facts.sqlite_version}.` },
      {
        subject: 'trail',
        isRight: facts.intact,
        message: facts.intact
          ? `${facts.goals} runs, ${facts.records} records, ${facts.file_bytes} bytes, no damage found.`
          : `The file is damaged: ${facts.problems[0] ?? 'SQLite does not say how'}. Restore a copy.`,
      },
      ...openPublications(facts.publications_unknown),
    ];
  } catch (error) {
    if (!MillforgeError.is(error)) throw error;
    const subject = error.code === 'kernel/driver-missing' ? 'sqlite driver' : 'trail';
    return [{ subject, isRight: false, message: error.message }];
  }
}
