import { type ConfigDocument, EMPTY_CONFIG, readConfigDocument } from './config-document.ts';
import { describeConfig } from './describe-config.ts';
import { projectConfigFile } from './places.ts';
import { readConfigFile } from './read-config-file.ts';
import { openTrustStore } from './trust-store.ts';

/** A project configuration that is not used. */
export interface UntrustedProject {
  /** Its path. */
  readonly file: string;
  /** What it asks for, for a person to judge. */
  readonly asksFor: readonly string[];
  /** Its text, to be accepted. */
  readonly text: string;
}

/** What a project's file gives: its contents when somebody has vouched for them. */
export interface ProjectConfig {
  /** The contents; empty when there is no file, and when it is not trusted. */
  readonly config: ConfigDocument;
  /** The file when nobody has vouched for it. */
  readonly untrusted: UntrustedProject | null;
}

/** Reads the configuration of a project, as far as it is trusted. */
export async function readProjectConfig(
  directory: string,
  trust: {
    /** Directory of the trust store. */
    readonly directory: string;
    /** Whether this command trusts it unrecorded. */
    readonly isGiven: boolean;
  },
): Promise<ProjectConfig> {
  const file = projectConfigFile(directory);
  const text = await readConfigFile(file);
  if (text === null) return { config: EMPTY_CONFIG, untrusted: null };
  if (trust.isGiven || (await openTrustStore(trust.directory).isTrusted(file, text))) {
    return { config: readConfigDocument(text, file), untrusted: null };
  }
  return { config: EMPTY_CONFIG, untrusted: { file, text, asksFor: wishesOf(text, file) } };
}

// A file that nobody vouched for is described even when it is wrong: its mistakes are not errors of
// this command.
function wishesOf(text: string, file: string): readonly string[] {
  try {
    return describeConfig(readConfigDocument(text, file));
  } catch (error) {
    const reason = error instanceof Error ? ` (${error.message.replace(/\.$/, '')})` : '';
    return [`nothing that can be read${reason}`];
  }
}
