// One API report per public entry, beside its package.json.
//   tsx tools/api-reports.ts                   fail where a surface changed
//   tsx tools/api-reports.ts --local [name…]   write the reports anew
import { existsSync, mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { basename, resolve } from 'node:path';
import {
  Extractor,
  ExtractorConfig,
  ExtractorLogLevel,
  type ExtractorMessage,
  type IConfigFile,
} from '@microsoft/api-extractor';
import { packageFolders, readManifest } from './package-entries.ts';

const isLocal = process.argv.includes('--local');
const wanted = process.argv.slice(2).filter((argument) => !argument.startsWith('--'));

let failures = 0;
let reports = 0;
for (const folder of packageFolders()) {
  const name = basename(folder);
  if (wanted.length > 0 && !wanted.includes(name)) continue;
  const expected = new Set<string>();
  for (const [entry, target] of Object.entries(readManifest(folder).publishConfig.exports)) {
    // A document among the entries has no surface.
    if (target['types'] === undefined) continue;
    const report = reportName(name, entry);
    expected.add(report);
    reports += 1;
    if (!extract(folder, report, target['types'] ?? '')) failures += 1;
  }
  for (const file of readdirSync(folder)) {
    if (!file.endsWith('.api.md') || expected.has(file)) continue;
    console.error(`${folder}/${file}: no entry of the package has this report; remove it`);
    failures += 1;
  }
}
console.log(`${reports} reports, ${failures} failed`);
process.exitCode = failures === 0 ? 0 : 1;

function reportName(name: string, entry: string): string {
  const suffix = entry === '.' ? '' : `.${entry.slice(2).replaceAll('/', '-')}`;
  return `${name}${suffix}.api.md`;
}

function extract(folder: string, reportFileName: string, types: string): boolean {
  const projectFolder = resolve(folder);
  const mainEntryPointFilePath = resolve(folder, types);
  if (!existsSync(mainEntryPointFilePath)) {
    console.error(`${folder}: ${types} is missing; build first`);
    return false;
  }
  const reportTempFolder = resolve('.cache/api-reports');
  mkdirSync(reportTempFolder, { recursive: true });
  const configObject: IConfigFile = {
    projectFolder,
    mainEntryPointFilePath,
    compiler: {
      overrideTsconfig: {
        compilerOptions: {
          target: 'ES2022',
          lib: ['ES2023', 'ESNext.Disposable'],
          module: 'NodeNext',
          moduleResolution: 'NodeNext',
          types: ['node'],
          strict: true,
          skipLibCheck: true,
        },
        files: [mainEntryPointFilePath],
      },
    },
    apiReport: { enabled: true, reportFileName, reportFolder: projectFolder, reportTempFolder },
    docModel: { enabled: false },
    dtsRollup: { enabled: false },
    tsdocMetadata: { enabled: false },
    newlineKind: 'lf',
    messages: {
      compilerMessageReporting: { default: { logLevel: ExtractorLogLevel.Error } },
      extractorMessageReporting: {
        default: { logLevel: ExtractorLogLevel.Error },
        'ae-missing-release-tag': { logLevel: ExtractorLogLevel.None },
      },
      tsdocMessageReporting: { default: { logLevel: ExtractorLogLevel.Error } },
    },
  };
  const config = ExtractorConfig.prepare({
    configObject,
    configObjectFullPath: undefined,
    packageJsonFullPath: resolve(folder, 'package.json'),
  });
  const result = Extractor.invoke(config, { localBuild: isLocal, messageCallback: print });
  if (result.apiReportChanged && !isLocal) {
    console.error(
      `${folder}/${reportFileName}: the surface changed; look at the diff after \`npm run api:update\``,
    );
  }
  return result.succeeded || (isLocal && result.errorCount === 0);

  function print(message: ExtractorMessage): void {
    message.handled = true;
    if (message.messageId === 'ae-forgotten-export' && isExportedNearby(folder, message.text)) {
      message.logLevel = ExtractorLogLevel.None;
    }
    if (message.logLevel !== ExtractorLogLevel.Error) return;
    const where = message.sourceFilePath ?? folder;
    console.error(`${where}:${message.sourceFileLine ?? 0}: ${message.messageId}: ${message.text}`);
  }
}

// An entry may speak in the types of the others of its package, and a package that inlines the contracts in theirs;
// nobody needs them from two.
function isExportedNearby(folder: string, text: string): boolean {
  const symbol = /The symbol "(?<symbol>[^"]+)"/u.exec(text)?.groups?.['symbol'] ?? '';
  return [folder, 'packages/contracts'].some((place) =>
    Object.values(readManifest(place).publishConfig.exports).some(({ types }) => {
      if (types === undefined) return false;
      const declarations = readFileSync(resolve(place, types), 'utf8');
      const exported = declarations.match(/^export \{.*\}/gmu) ?? [];
      return exported.some((list) => list.split(/[^\w$]+/u).includes(symbol));
    }),
  );
}
