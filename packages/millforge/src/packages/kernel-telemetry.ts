export * from '@millforge/kernel/telemetry';
