import { isDeepStrictEqual } from 'node:util';
import {
  type AdmissionResult,
  admitConnectorTools,
  type ConnectorAdmissionManifest,
  type ConnectorDiscoverySnapshot,
  pinManifest,
  readAdmissionManifest,
  readDiscoverySnapshot,
  unpinManifest,
} from '@millforge/connectors';
import type { JsonObject, JsonValue } from '@millforge/contracts';
import { documentError, usageError } from '../cli-error.ts';
import { readTrustDirectory } from '../config/effective-config.ts';
import { openTrustStore } from '../config/trust-store.ts';
import { withAdmissionAdvice } from '../connect/admission-advice.ts';
import { admissionDocument, readAdmission } from '../connect/admission-document.ts';
import { type ConnectorFolder, openConnectorFolder } from '../connect/connector-folder.ts';
import { formLines } from '../connect/form-lines.ts';
import { good } from '../connect/good.ts';
import { manifestDocument } from '../connect/manifest-document.ts';
import { printChanges } from '../connect/print-changes.ts';
import { acceptConnector } from '../connect/project-connectors.ts';
import { changesSinceAdmission, isOnlyPinned } from '../connect/renew-admission.ts';
import { printDiagnostics } from '../output/diagnostic-report.ts';
import { EXIT_CHECK_FAILED, exitStatusOfDiagnostics } from '../output/exit-status.ts';
import { asCalled } from '../output/own-name.ts';
import { type CliHost, writeLine } from '../output/terminal.ts';
import type { Command } from './command.ts';
import { isConfirmed } from './configured.ts';
import { DATA_OPTION } from './data-place.ts';

/** Lets in what the manifest of a connector selects, and pins it. */
export const connectAdmitCommand: Command = {
  command: 'connect admit',
  positionals: ['NAME'],
  summary: 'let in what the manifest selects, and pin every word of it',
  example: 'millforge connect admit files --ci',
  options: {
    ...DATA_OPTION,
    ci: {
      value: null,
      help: 'write nothing; every expected digest must be given, and what is admitted must be what the files say',
    },
    renew: {
      value: null,
      help: 'pin anew what the manifest or the server says differently than when it was pinned',
    },
  },
  async run({ host }, args) {
    const folder = await openConnectorFolder(host.cwd, args.positionals[0] ?? '');
    const isCi = args.has('ci');
    if (isCi && args.has('renew')) {
      throw usageError('--ci and --renew contradict each other; give one.');
    }
    const documents = await readDocuments(folder, isCi);
    const { discovery: snapshot, policy } = documents;
    let { manifest } = documents;
    let result = admitConnectorTools({ snapshot, manifest, policy });
    if (!result.accepted && !isCi && isOnlyPinned(result.diagnostics)) {
      if (!(await mayRenew(host, folder, { documents, isGiven: args.has('renew') }))) {
        return refuse(host, folder, result);
      }
      manifest = unpinManifest(goodManifest(folder, manifest), goodDiscovery(folder, snapshot));
      result = admitConnectorTools({ snapshot, manifest, policy });
    }
    if (!result.accepted) return refuse(host, folder, result);
    for (const [at, { tool_id: id, side_effect_class: effect }] of result.descriptors.entries()) {
      writeLine(host.stdout, `${id}  ${effect}`);
      for (const line of formLines(result.forms[at])) writeLine(host.stdout, `  ${line}`);
    }
    if (isCi) return compare(host, folder, result);
    const pinned = pinManifest(
      goodManifest(folder, manifest),
      goodDiscovery(folder, snapshot),
      result,
    );
    const again = admitConnectorTools({ snapshot, manifest: pinned, policy });
    if (!again.accepted) throw documentError('What was admitted cannot be pinned.');
    const written = manifestDocument(pinned);
    await folder.write('manifest.json', written);
    const made = { discovery: snapshot, manifest: written, policy };
    await folder.write('admission.json', admissionDocument(made, again));
    await acceptConnector(
      folder,
      openTrustStore(await readTrustDirectory(args.text('data'), host)),
    );
    writeLine(host.stdout, `Written to ${folder.path('admission.json')}.`);
    return 0;
  },
};

interface Documents {
  readonly discovery: JsonValue;
  readonly manifest: JsonValue | ConnectorAdmissionManifest;
  readonly policy: JsonValue;
}

async function readDocuments(folder: ConnectorFolder, isCi: boolean): Promise<Documents> {
  for (const [file, step] of STEPS) {
    if (await folder.has(file)) continue;
    throw usageError(
      `There is no ${file} at ${folder.path(file)}; 'millforge connect ${step} ${folder.name}' makes it.`,
    );
  }
  return {
    discovery: await folder.read('discovery.json'),
    manifest: await folder.read('manifest.json'),
    policy: strict(await folder.read('policy.json'), isCi),
  };
}

/** Shows what was changed since it was admitted, and whether somebody wants it so. */
async function mayRenew(
  host: CliHost,
  folder: ConnectorFolder,
  { documents, isGiven }: { readonly documents: Documents; readonly isGiven: boolean },
): Promise<boolean> {
  const discovery = goodDiscovery(folder, documents.discovery);
  const manifest = goodManifest(folder, documents.manifest);
  const changes = await changesSinceAdmission(folder, { discovery, manifest });
  printChanges(isGiven ? host.stdout : host.stderr, changes ?? []);
  return isGiven || (host.canAsk && (await isConfirmed(host, 'Pin it as it is now?')));
}

function refuse(host: CliHost, folder: ConnectorFolder, { diagnostics }: AdmissionResult): number {
  printDiagnostics(
    host,
    diagnostics.map((one) => withAdmissionAdvice(one, folder, host.env)),
    folder.path('manifest.json'),
  );
  return exitStatusOfDiagnostics(diagnostics.map(({ code }) => code));
}

function goodManifest(folder: ConnectorFolder, value: unknown): ConnectorAdmissionManifest {
  return good(readAdmissionManifest(value), folder.path('manifest.json'));
}

function goodDiscovery(folder: ConnectorFolder, value: unknown): ConnectorDiscoverySnapshot {
  return good(readDiscoverySnapshot(value), folder.path('discovery.json'));
}

/** Whether the admission that is kept is the one that the other files come to. */
async function compare(
  host: CliHost,
  folder: ConnectorFolder,
  result: AdmissionResult,
): Promise<number> {
  const { result: kept } = await readAdmission(folder);
  if (isDeepStrictEqual(kept, result)) return 0;
  const how = `'millforge connect admit ${folder.name}' makes it anew`;
  writeLine(
    host.stderr,
    asCalled(`${folder.path('admission.json')} is not what the files come to; ${how}.`, host.env),
  );
  return EXIT_CHECK_FAILED;
}

function strict(policy: JsonValue, isCi: boolean): JsonValue {
  return isCi && isObject(policy) ? { ...policy, require_expected_hashes: true } : policy;
}

function isObject(value: JsonValue): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

const STEPS = [
  ['discovery.json', 'discover'],
  ['manifest.json', 'draft'],
  ['policy.json', 'draft'],
] as const;
