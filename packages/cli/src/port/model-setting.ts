import type { ModelProfile, ModelScript } from '@millforge/models';

/** A model as it is stored with a run: never with a key, at most with the name of its variable. */
export type ModelSetting =
  | {
      /** A server. */
      readonly kind: 'endpoint';
      /** How it is spoken to. */
      readonly profile: ModelProfile;
    }
  | {
      /** Replies that were written down beforehand. */
      readonly kind: 'scripted';
      /** The replies. */
      readonly script: ModelScript;
    };
