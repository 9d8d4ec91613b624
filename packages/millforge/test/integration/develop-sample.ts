import type { ModelSetting } from 'millforge';
import type { DevelopContract } from 'millforge/kernel/develop';

/** Words that stand in hidden criteria only. */
export const HIDDEN_WORDS = ['zebra', 'negative-sums'];

/** A sum that is none. */
export const FAULTY = 'export const sum = (a, b) => a - b;\n';
/** The same, mended. */
export const MENDED = 'export const sum = (a, b) => a + b;\n';

/** Takes each request to the server of the phase that it is about. */
export function routedFetch(urls: ReadonlyMap<string, string>): typeof fetch {
  return (input, init) => {
    const body = typeof init?.body === 'string' ? init.body : '';
    const phase = /Phase: (\w+), round/.exec(body)?.[1] ?? '';
    const asked = input instanceof Request ? input.url : new URL(input).href;
    return fetch(
      asked.replace('http://127.0.0.1:1/v1', urls.get(phase) ?? 'http://127.0.0.1:9'),
      init,
    );
  };
}

/** The contract of the sample. */
export function developContract(more: Partial<DevelopContract> = {}): DevelopContract {
  return {
    kind: 'develop_contract',
    schema_version: '1.0',
    goal_id: 'mend-sum',
    objective: 'Make the test pass.',
    allowed_paths: ['src'],
    criteria: [
      { name: 'test', text: 'The test passes.', command: [process.execPath, 'test/sum.test.js'] },
      {
        name: 'negative-sums',
        text: 'Sums of zebra numbers are right.',
        command: [process.execPath, '{checks}/zebra.js'],
        hidden: true,
      },
    ],
    ...more,
  };
}

/** The model of the sample; its server is chosen by what is asked. */
export const MODEL: ModelSetting = {
  kind: 'endpoint',
  profile: {
    profile_id: 'test.model',
    base_url: 'http://127.0.0.1:1/v1',
    model: 'scripted',
  },
};
