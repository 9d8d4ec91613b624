/** Options of `bash` that both sides take from a host, by the name that a case has for them. */
export function hostOptions(host) {
  if (host === 'prefix') return { commandPrefix: 'greeting=hello' };
  if (host !== 'hook') return {};
  return {
    commandPrefix: 'greeting=hello',
    spawnHook: ({ command, cwd, env }) => ({
      command: `${command}; echo $added $greeting`,
      cwd: `${cwd}/..`,
      env: { ...env, added: 'by the hook' },
    }),
  };
}
