import { toModelProfileCatalog, toToolCatalog } from '@millforge/compiler';
import { compileFile, toCompileResultJson } from '@millforge/compiler/publish';

// One process of many that compile into one directory: it says how far it is, and what it came to.
const { catalog, requests } = JSON.parse(process.argv[2] ?? 'null');
const input = {
  catalog: toToolCatalog(catalog),
  profiles: toModelProfileCatalog(['docs.profile.small']),
};
for (const request of requests) {
  process.stdout.write('{}\n');
  const outcome = await compileFile(request, input);
  process.stdout.write(`${JSON.stringify(toCompileResultJson(outcome))}\n`);
}
