import {
  admitConnectorTools,
  pinManifest,
  readAdmissionManifest,
  readDiscoverySnapshot,
} from '@millforge/connectors';
import type { JsonObject, JsonValue } from '@millforge/contracts';
import { documentError } from '../cli-error.ts';
import { readTrustDirectory } from '../config/effective-config.ts';
import { openTrustStore } from '../config/trust-store.ts';
import { admissionDocument, readAdmission } from '../connect/admission-document.ts';
import { type ConnectorFolder, openConnectorFolder } from '../connect/connector-folder.ts';
import { good } from '../connect/live-connector.ts';
import { acceptConnector } from '../connect/project-connectors.ts';
import { printDiagnostics } from '../output/diagnostic-report.ts';
import { EXIT_CHECK_FAILED, exitStatusOfDiagnostics } from '../output/exit-status.ts';
import { writeLine } from '../output/terminal.ts';
import type { Command } from './command.ts';
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
  },
  async run({ host }, args) {
    const folder = await openConnectorFolder(host.cwd, args.positionals[0] ?? '');
    const isCi = args.has('ci');
    const documents = {
      discovery: await folder.read('discovery.json'),
      manifest: await folder.read('manifest.json'),
      policy: strict(await folder.read('policy.json'), isCi),
    };
    const { discovery: snapshot, manifest, policy } = documents;
    const result = admitConnectorTools({ snapshot, manifest, policy });
    if (!result.accepted) {
      printDiagnostics(host, result.diagnostics, folder.path('manifest.json'));
      return exitStatusOfDiagnostics(result.diagnostics.map(({ code }) => code));
    }
    for (const { tool_id: id, side_effect_class: effect } of result.descriptors) {
      writeLine(host.stdout, `${id}  ${effect}`);
    }
    if (isCi) return compare(folder, result);
    const pinned = pinManifest(
      good(readAdmissionManifest(manifest), 'The manifest'),
      good(readDiscoverySnapshot(snapshot), 'The discovery'),
      result,
    );
    const again = admitConnectorTools({ snapshot, manifest: pinned, policy });
    if (!again.accepted) throw documentError('What was admitted cannot be pinned.');
    await folder.write('manifest.json', pinned);
    const made = { discovery: snapshot, manifest: pinned, policy };
    await folder.write('admission.json', admissionDocument(made, again));
    await acceptConnector(
      folder,
      openTrustStore(await readTrustDirectory(args.text('data'), host)),
    );
    writeLine(host.stdout, `Written to ${folder.path('admission.json')}.`);
    return 0;
  },
};

/** Whether the admission that is kept is the one that the other files come to. */
async function compare(
  folder: ConnectorFolder,
  result: ReturnType<typeof admitConnectorTools>,
): Promise<number> {
  const { result: kept } = await readAdmission(folder);
  const isSame = JSON.stringify(kept.records) === JSON.stringify(result.records);
  return isSame ? 0 : EXIT_CHECK_FAILED;
}

function strict(policy: JsonValue, isCi: boolean): JsonValue {
  return isCi && isObject(policy) ? { ...policy, require_expected_hashes: true } : policy;
}

function isObject(value: JsonValue): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
