export * from '@millforge/pi-tools';
