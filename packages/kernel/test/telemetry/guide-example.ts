import type { Clock, Ids } from '@millforge/contracts';
import { type Kernel, openKernel } from '@millforge/kernel';
import { createTelemetry, DEFAULT_TELEMETRY_ATTRIBUTES } from '@millforge/kernel/telemetry';

export function openWatched(path: string, parts: { clock: Clock; ids: Ids }): Promise<Kernel> {
  const attributes = [...DEFAULT_TELEMETRY_ATTRIBUTES, 'millforge.tenant'] as const;
  return openKernel({ path, ...parts, observer: createTelemetry({ attributes }) });
}
