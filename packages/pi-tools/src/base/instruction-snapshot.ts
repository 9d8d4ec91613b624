/** One instruction file, as far as the model is shown it. */
export interface InstructionRecord {
  /** `global` for the file of the user, `project` for those of the repository. */
  readonly scope: 'global' | 'project';
  /** Path as the model may open it: relative to the working directory, or below `~`. */
  readonly path: string;
  /** Included text; control characters are replaced. */
  readonly content: string;
  /** Digest of the bytes of the file. */
  readonly raw_sha256: string;
  /** Bytes of the file. */
  readonly original_byte_count: number;
  /** Bytes of the included text in UTF-8. */
  readonly included_byte_count: number;
  /** Whether the text goes on in the file. */
  readonly truncated: boolean;
}

/** A file that replaces or extends the body of the system prompt. */
export interface PromptFile {
  /** Path as in {@link InstructionRecord.path}. */
  readonly path: string;
  /** Its text. */
  readonly content: string;
}

/** What was found to be told to the model. */
export interface InstructionSnapshot {
  /** The instruction files, in the order in which they are shown: the user's first, then from the root down. */
  readonly files: readonly InstructionRecord[];
  /** `SYSTEM.md`, which stands in for the built-in prompt; null where there is none. */
  readonly system: PromptFile | null;
  /** `APPEND_SYSTEM.md`, which follows it; null where there is none. */
  readonly append: PromptFile | null;
  /** What was not taken and why, one sentence each, at most 2,048 bytes. */
  readonly diagnostics: readonly string[];
  /** Digest of `files`: canonical JSON without a final line feed. */
  readonly context_sha256: string;
  /** Whether an instruction file was cut or left out for want of room. */
  readonly truncated: boolean;
}
