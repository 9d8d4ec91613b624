import type { CompilerIdentity } from '@millforge/contracts';

/** Who signs plans unless a caller says otherwise; a part of every plan's digest. */
export const COMPILER_IDENTITY: CompilerIdentity = Object.freeze({
  name: 'millforge',
  version: '0.1.0',
  build_id: 'millforge.compiler.v1',
});
