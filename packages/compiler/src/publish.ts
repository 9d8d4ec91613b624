export { loadPlan } from './publish/load-plan.ts';
export { publicationDiagnostics } from './publish/publication-diagnostics.ts';
export { type PublishFiles, systemFiles } from './publish/publish-files.ts';
export { type PublishInput, type PublishOutcome, publishPlan } from './publish/publish-plan.ts';
