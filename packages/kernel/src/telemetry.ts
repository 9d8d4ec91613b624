export {
  createTelemetry,
  DEFAULT_TELEMETRY_ATTRIBUTES,
  type TelemetryOptions,
} from './telemetry/create-telemetry.ts';
export type { TelemetryAttribute } from './telemetry/telemetry-attribute.ts';
