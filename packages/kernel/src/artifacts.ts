export { type ArtifactManifest, readManifest } from './artifacts/artifact-manifest.ts';
export { memoryArtifacts } from './artifacts/memory-artifacts.ts';
export {
  type ArtifactFolder,
  type ArtifactFolderOptions,
  openArtifactFolder,
} from './artifacts/open-artifact-folder.ts';
export { readJsonLines } from './artifacts/read-json-lines.ts';
export { makeFolder } from './make-folder.ts';
