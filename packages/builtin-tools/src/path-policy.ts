export {
  createPathPolicy,
  type PathPolicy,
  type PathPolicyOptions,
  type TargetOptions,
  type Workspace,
  type WriteChange,
  type WriteTarget,
} from './paths/create-path-policy.ts';
export type { FileContent } from './paths/file-content.ts';
export type { Folder } from './paths/folder.ts';
export type { LogicalPath } from './paths/logical-path.ts';
export type { OpenedFile } from './paths/open-file.ts';
export { type PathRule, pathRuleOf } from './paths/path-fault.ts';
export type { ProtectedPathOptions } from './paths/protected-paths.ts';
export type { Replacement } from './paths/replace-entry.ts';
export type { FoundEntry } from './paths/walk-path.ts';
