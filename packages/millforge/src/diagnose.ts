import { constants, existsSync } from 'node:fs';
import { access, opendir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { DoctorFinding } from '@millforge/cli';
import { MillforgeError } from '@millforge/contracts';
import type { Kernel } from '@millforge/kernel';
import type { RegistrySnapshot } from '@millforge/registry';
import { isTrailThere } from './is-trail-there.ts';
import { createHostSandbox } from './sandbox/create-host-sandbox.ts';
import { tryDataDirectory } from './try-data-directory.ts';

/** Looks at what a durable run needs: platform, Node, tools, data directory, driver, trail; and at the sandbox. */
export async function diagnose(parts: {
  /** Directory of the trail; null when nothing is kept. */
  readonly dataDir: string | null;
  /** Opens the trail that is there. */
  readonly openTrail: (dataDir: string) => Promise<Kernel>;
  /** The same, and only to be read where it cannot be written. */
  readonly openToLook: (dataDir: string) => Promise<Kernel>;
  /** Opens a trail that nobody keeps; whoever asks for it closes it. */
  readonly tryTrail: (directory: string) => Promise<Kernel>;
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
  const { dataDir } = parts;
  findings.push(await lookAtDirectory(dataDir));
  try {
    const isThere = isTrailThere(join(dataDir, 'trail.db'));
    findings.push(
      ...(await (isThere ? lookAtStanding(parts, dataDir) : tryTrail(dataDir, parts.tryTrail))),
    );
  } catch (error) {
    findings.push(trailFault(error));
  }
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
    if (!existsSync(directory)) {
      await tryDataDirectory(directory, async () => undefined);
      return { subject, isRight: true, message: `${directory}, which the first run makes.` };
    }
    const mode = (await stat(directory)).mode & 0o777;
    const isPrivate = (mode & 0o077) === 0;
    if (!(await isAccessible(directory))) {
      const message = `${directory} is not accessible to you; choose another with --data.`;
      return { subject, isRight: false, message };
    }
    return {
      subject,
      isRight: isPrivate,
      message: isPrivate
        ? `${directory}, readable by its owner only.`
        : `${directory} is open to others (mode ${mode.toString(8)}); ${await closing(directory)}.`,
    };
  } catch (error) {
    const code = systemCode(error) ?? 'unknown';
    return {
      subject,
      isRight: false,
      message: `${directory} cannot be made (${code}); choose another with --data.`,
    };
  }
}

/** How a directory is closed to others: on a medium that is read-only, nobody can. */
async function closing(directory: string): Promise<string> {
  const code = await access(directory, constants.W_OK).then(() => null, systemCode);
  if (code === 'EROFS') return 'its file system is read-only, so only a copy can be closed to them';
  return 'make it yours alone with chmod 700';
}

async function isAccessible(directory: string): Promise<boolean> {
  return opendir(directory).then(
    async (opened) => opened.close().then(() => true),
    () => false,
  );
}

/** Nothing is wrong with the machine then, but somebody has to look. */
function openPublications(unknown: number): readonly DoctorFinding[] {
  if (unknown === 0) return [];
  const message = `${unknown} sent and without a known end; find them with 'millforge publish list', then 'millforge publish reconcile'.`;
  return [{ subject: 'publications', isRight: true, message }];
}

/** What can be read is looked at, and what keeps runs from being written is said. */
async function lookAtStanding(
  { openTrail, openToLook }: Pick<Parameters<typeof diagnose>[0], 'openTrail' | 'openToLook'>,
  dataDir: string,
): Promise<readonly DoctorFinding[]> {
  try {
    const kernel = await openTrail(dataDir);
    return await lookAtTrail(async () => kernel);
  } catch (error) {
    const fault = trailFault(error);
    const found = await lookAtTrail(() => openToLook(dataDir));
    // What keeps it from being read says more than what keeps it from being written.
    if (found.some(({ isRight }) => !isRight)) return found;
    const message = `Runs can be looked at and none made: ${fault.message}`;
    return [...found, { subject: 'writing', isRight: false, message }];
  }
}

/** Looking makes no trail: where there is none, one that goes again shows whether there can be. */
async function tryTrail(
  dataDir: string,
  open: (directory: string) => Promise<Kernel>,
): Promise<readonly DoctorFinding[]> {
  const none = 'None yet; the first run makes it.';
  try {
    return await tryDataDirectory(dataDir, async (directory) => {
      await using kernel = await open(directory);
      const findings = await lookAtTrail(async () => kernel);
      return findings.map((one) =>
        one.subject === 'trail' && one.isRight ? { ...one, message: none } : one,
      );
    });
  } catch (error) {
    const code = systemCode(error);
    if (code === null) return [trailFault(error)];
    const message = `None can be made in ${dataDir} (${code}); choose another with --data.`;
    return [{ subject: 'trail', isRight: false, message }];
  }
}

async function lookAtTrail(open: () => Promise<Kernel>): Promise<readonly DoctorFinding[]> {
  try {
    const facts = await (await open()).examine();
    return [
      { subject: 'sqlite driver', isRight: true, message: `SQLite ${facts.sqlite_version}.` },
      {
        subject: 'trail',
        isRight: facts.intact,
        message: facts.intact
          ? `${counted(facts.goals, 'run')}, ${counted(facts.records, 'record')}, ${facts.file_bytes} bytes, no damage found.`
          : `The file is damaged: ${facts.problems[0] ?? 'SQLite does not say how'}. Restore a copy.`,
      },
      ...openPublications(facts.publications_unknown),
    ];
  } catch (error) {
    return [trailFault(error)];
  }
}

function counted(count: number, what: string): string {
  return `${count} ${what}${count === 1 ? '' : 's'}`;
}

/** What the system called its refusal; null for an error of ours. */
function systemCode(error: unknown): string | null {
  if (MillforgeError.is(error) || !(error instanceof Error && 'code' in error)) return null;
  return String(error.code);
}

function trailFault(error: unknown): DoctorFinding {
  if (!MillforgeError.is(error)) throw error;
  const subject = error.code === 'kernel/driver-missing' ? 'sqlite driver' : 'trail';
  return { subject, isRight: false, message: error.message };
}
