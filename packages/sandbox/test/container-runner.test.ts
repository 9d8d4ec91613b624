import { dockerRunner, podmanRunner } from '@millforge/sandbox';
import { expect, test } from 'vitest';

test('the command line of an engine has every wall and no value of a variable', () => {
  for (const make of [podmanRunner, dockerRunner]) {
    const runner = make({ image: 'image:1', program: '/opt/engine' });
    const { argv, environment } = runner.start({
      name: 'name',
      command: ['tool', '--flag'],
      folder: '/tmp',
      environment: { KEY: 'secret' },
      bound: [{ path: '/a', source: '/b', isWritable: false }],
      limits: { timeoutMs: 1000, memoryBytes: 10, processes: 3, outputBytes: 1, diskBytes: 7 },
    });
    const line = argv.join(' ');
    expect(argv.slice(-3)).toEqual(['image:1', 'tool', '--flag']);
    expect(line).not.toContain('secret');
    expect(environment['KEY']).toBe('secret');
    for (const wall of [
      '--network none',
      '--read-only',
      '--cap-drop ALL',
      '--security-opt no-new-privileges',
      '--memory 10',
      '--memory-swap 10',
      '--pids-limit 3',
      '--user 65534:65534',
      '--volume /b:/a:ro',
    ]) {
      expect(line).toContain(wall);
    }
  }
});
