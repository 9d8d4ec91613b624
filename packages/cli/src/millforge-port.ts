import type { ConnectorTransport } from '@millforge/connectors';
import type {
  CapabilityGrant,
  Diagnostic,
  JsonValue,
  RunHold,
  RunResult,
  Tool,
  ToolCatalog,
  TrailRecord,
} from '@millforge/contracts';
import type { TrailVerdict } from '@millforge/kernel';
import type { DevelopContract, DevelopHandoff, WorkPhase } from '@millforge/kernel/develop';
import type { ReviewReport } from '@millforge/kernel/review';
import type { ModelProfile, ModelScript } from '@millforge/models';
import type { ApprovalPolicy, RegistrySnapshot } from '@millforge/registry';
import type { ToolTrial } from '@millforge/registry/testing';
import type { ApprovalProvider, RunEvent } from '@millforge/runtime';
import type { PublicationPort } from './publication-port.ts';

/** Makes what the commands work with. Nothing is opened before a command needs it. */
export type MillforgeFactory = (options: {
  /** Data directory, absolute. */
  readonly dataDir: string;
  /** Environment in which keys are looked up by name. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Who acts, for the trail; default the user of the process. */
  readonly actor?: string;
  /** Tools beside those that ship. */
  readonly tools?: readonly Tool[];
  /** Asks whether a call may be performed; without it, whatever would be asked is declined. */
  readonly approvalProvider?: ApprovalProvider;
  /** What the operator sets up for the built-in tools. */
  readonly builtinTools?: OperatorSettings;
}) => MillforgePort;

/** Makes the way to the server of a connector. */
export type ConnectorOpener = (
  settings: ConnectorSettings,
  options: {
    /** Environment in which secrets are looked up by name. */
    readonly env: Readonly<Record<string, string | undefined>>;
  },
) => ConnectorTransport;

/** How the server of a connector is reached; no secret, at most the name of its variable. */
export interface ConnectorSettings {
  /** The operator's name of the connector. */
  readonly connectorId: string;
  /** The way. */
  readonly transport:
    | {
        /** A program of this host. */
        readonly kind: 'stdio';
        /** Its name. */
        readonly name: string;
        /** Its version, where one is known. */
        readonly version: string | null;
        /** Absolute path of the program. */
        readonly command: string;
        /** Its arguments. */
        readonly args: readonly string[];
        /** Its working directory, absolute. */
        readonly folder: string;
        /** Its environment. */
        readonly environment: Readonly<Record<string, string>>;
        /** Variables of this process that it is given, by the name under which it sees them. */
        readonly secrets: Readonly<Record<string, string>>;
        /** Files whose bytes are pinned, absolute. */
        readonly pinnedFiles: readonly string[];
      }
    | {
        /** A service. */
        readonly kind: 'http';
        /** Its name. */
        readonly name: string;
        /** Its version. */
        readonly version: string;
        /** Its address. */
        readonly url: string;
        /** Variable that holds its token; null for none. */
        readonly tokenEnv: string | null;
        /** How it is logged in to; null where it is not. */
        readonly login: ConnectorLoginSettings | null;
        /** Whether addresses of this machine and of private networks may be connected to. */
        readonly allowPrivateAddresses: boolean;
        /** Whether `http:` is spoken. */
        readonly allowPlainHttp: boolean;
      };
}

/** How a service is logged in to; the tokens are kept in the user's configuration, never in a project. */
export interface ConnectorLoginSettings {
  /** Its authorization server; null for the service itself. */
  readonly authorizationServer: string | null;
  /** Name under which this program is known there; null where it registers itself. */
  readonly clientId: string | null;
  /** What is asked for; null for what the service names. */
  readonly scope: string | null;
}

/** Has somebody log in to the service of a connector, and keeps the tokens. */
export type ConnectorLogin = (
  settings: ConnectorSettings,
  options: {
    /** Environment, by which the user's configuration is found. */
    readonly env: Readonly<Record<string, string | undefined>>;
    /** Told the address that has to be opened in a browser. */
    readonly onUrl: (url: string) => void;
    /** Stops it. */
    readonly signal: AbortSignal;
  },
) => Promise<void>;

/** A manifest of custom tools as it stands in a file. */
export interface CustomToolSourceFile {
  /** Its path. */
  readonly path: string;
  /** Its text. */
  readonly content: string;
  /** How it is written. */
  readonly format: 'yaml' | 'json';
}

/** Custom tools with their code behind them. */
export interface OpenCustomTools extends AsyncDisposable {
  /** Tells them from manifests that are wrong. */
  readonly ok: true;
  /** The tools. */
  readonly tools: readonly Tool[];
  /** Where the code of each comes from, in the same order. */
  readonly kinds: readonly string[];
  /** Tools that no command line can perform, since their code is a function of a program. */
  readonly leftOut: readonly {
    /** Id of the tool. */
    readonly toolId: string;
    /** Its version. */
    readonly toolVersion: number;
    /** The function that it asks for. */
    readonly implementationId: string;
  }[];
}

/** Compiles manifests of custom tools under a policy; their code runs in a sandbox, and not before a call. */
export type CustomToolsOpener = (request: {
  /** The manifests. */
  readonly manifests: readonly CustomToolSourceFile[];
  /** The policy, whatever it says. */
  readonly policy: unknown;
  /** Environment by which the folders are found that no code may see. */
  readonly env: Readonly<Record<string, string | undefined>>;
}) =>
  | OpenCustomTools
  | {
      /** Tells wrong manifests from tools. */
      readonly ok: false;
      /** The first that is wrong. */
      readonly path: string;
      /** What is wrong with it. */
      readonly diagnostics: readonly Diagnostic[];
    };

/** What the operator sets up for the built-in tools. */
export interface OperatorSettings {
  /** Commands that run tests, by the name that a model gives. */
  readonly testProfiles: Readonly<Record<string, CommandProfile>>;
  /** Commands that check without running. */
  readonly checkProfiles: Readonly<Record<string, CommandProfile>>;
  /** Paths of the workspace that are not written. */
  readonly protectedPaths: readonly string[];
}

/** A command of the operator. */
export interface CommandProfile {
  /** Program and arguments; no shell reads them. */
  readonly argv: readonly string[];
  /** Variables besides the few that every command gets. */
  readonly environment: Readonly<Record<string, string>>;
  /** Seconds until it is ended. */
  readonly timeoutSeconds?: number;
  /** Bytes of output that are shown. */
  readonly maxOutputBytes?: number;
}

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

/** What a run is started with. */
export interface RunRequest {
  /** The plan: the exact text of its file, and its own digest. */
  readonly plan: { readonly bytes: string; readonly sha256: string };
  /** What the model is asked to do. */
  readonly task: string;
  /** Absolute path of the workspace. */
  readonly workspace: string;
  /** The model. */
  readonly model: ModelSetting;
  /** Capabilities granted, by id or with constraints. */
  readonly grants: readonly (string | CapabilityGrant)[];
  /** What becomes of calls that somebody may have to agree to. */
  readonly approvals?: ApprovalPolicy;
  /** JSON Schema of a structured result, which every terminal that is a success then has to bring. */
  readonly output?: JsonValue;
  /** Milliseconds that the run may work, waiting not counted. */
  readonly timeoutMs?: number;
  /** What to do with an interrupted call of unknown outcome. */
  readonly onAmbiguous?: 'hold' | 'retry';
  /** Told what happens, as it happens. */
  readonly onEvent?: (event: RunEvent) => void;
}

/** A run that goes on. */
export interface RunHandle {
  /** The run. */
  readonly runId: string;
  /** What it comes to; rejects only for a fault of the host. */
  readonly result: Promise<RunResult>;
  /** Suspends it: after the current operation, or now. */
  stop(options?: { readonly now?: boolean }): void;
}

/** How a run is gone on with. */
export interface ResumeOptions {
  /** Told what happens, replayed steps included. */
  readonly onEvent?: (event: RunEvent) => void;
  /** Told once when another living process holds the run and its silence is being timed. */
  readonly onWaiting?: (owner: string) => void;
}

/** What a goal of a data directory is: it says which command goes on with it. */
export type GoalKind = 'run' | 'review' | 'development';

/** How a person answers a hold. */
export interface DecisionRequest {
  /** The hold; may be null when exactly one is open. */
  readonly holdId: string | null;
  /** Repeat it once, attest that it happened, end the run; or say whether a call may be performed. */
  readonly decision: 'retry' | 'accept' | 'cancel' | 'approve' | 'deny';
  /** Why. */
  readonly reason: string;
  /** For `accept`: the outcome to be recorded; default an attestation without output. */
  readonly outcome?: JsonValue;
}

/** One run in a list. */
export interface RunSummary {
  /** The run. */
  readonly runId: string;
  /** How it stands: `running`, `interrupted`, `held`, `completed`, `failed` or `cancelled`. */
  readonly status: string;
  /** The task, cut to a line. */
  readonly task: string;
  /** When it was admitted, UTC. */
  readonly createdAt: string;
}

/** One thing that works on this machine, or does not. */
export interface DoctorFinding {
  /** What was looked at. */
  readonly subject: string;
  /** Whether it is as it must be. */
  readonly isRight: boolean;
  /** One sentence: what was found, and what to do when it is wrong. */
  readonly message: string;
}

/** What the model is told by a file of the project or of the user. */
export interface ContextFile {
  /** Path relative to the working directory, or below `~`. */
  readonly path: string;
  /** Bytes of it that the model is told. */
  readonly bytes: number;
  /** Whether it goes on. */
  readonly truncated: boolean;
}

/** millforge-base, composed for one folder and one model. */
export interface BasePort {
  /** Capabilities that its runs are granted. */
  readonly grants: readonly string[];
  /** Files that the model is told. */
  readonly contextFiles: readonly ContextFile[];
  /** Files that were not taken and why, one sentence each. */
  readonly diagnostics: readonly string[];
  /** Starts a run. */
  start(
    request: Pick<
      RunRequest,
      'task' | 'timeoutMs' | 'onAmbiguous' | 'onEvent' | 'approvals' | 'output'
    >,
  ): Promise<RunHandle>;
}

/** What is reviewed, and by whom. */
export interface ReviewRequest {
  /** Absolute path of a git repository, of its work tree, or of the folder that is reviewed. */
  readonly repository: string;
  /** A commit in any of git's words; null for the folder as it stands. */
  readonly commit: string | null;
  /** An earlier commit: only what was added or changed since then is looked at. Default all. */
  readonly since?: string;
  /** Files and folders to look at, by path in the commit. Default all. */
  readonly paths?: readonly string[];
  /** Who looks. Default `correctness`, `security` and `tests`. */
  readonly roles?: readonly string[];
  /** The model that every role asks; null for the rules that ship, which ask none. */
  readonly model: ModelSetting | null;
  /** Milliseconds that one role may work. Default 30 min. */
  readonly timeoutMs?: number;
  /** Whether the review waits for a person at its end, who approves or denies its report. Default false. */
  readonly signOff?: boolean;
  /** Told what happens, as it happens. */
  readonly onEvent?: (event: ReviewEvent) => void;
}

/** What a review tells of while it goes on. */
export type ReviewEvent =
  | {
      /** A role begins to look. */
      readonly type: 'role-started';
      /** The role. */
      readonly role: string;
    }
  | {
      /** A role has ended. */
      readonly type: 'role-ended';
      /** The role. */
      readonly role: string;
      /** Findings that it proposed, before they are judged. */
      readonly proposed: number;
    };

/** How a review is gone on with. */
export interface ResumeReviewOptions {
  /** Told what happens; nothing of roles that ended before. */
  readonly onEvent?: (event: ReviewEvent) => void;
  /** Told once when another living process holds the review and its silence is being timed. */
  readonly onWaiting?: (owner: string) => void;
}

/** A review that goes on. */
export interface ReviewHandle {
  /** Its name. */
  readonly reviewId: string;
  /** What it comes to; rejects only for a fault of the host. */
  readonly result: Promise<ReviewOutcome>;
  /** Suspends it: after the current operation, or now. */
  stop(options?: { readonly now?: boolean }): void;
}

/** What a review came to. */
export interface ReviewOutcome {
  /** Its name. */
  readonly reviewId: string;
  /** What its report says, `rejected` when a person denied that, or how it stands without one. */
  readonly status:
    | 'complete'
    | 'partial'
    | 'rejected'
    | 'failed'
    | 'held'
    | 'cancelled'
    | 'interrupted';
  /** The report; null before its end. */
  readonly report: ReviewReport | null;
  /** Why there is no report, as a code; null when there is one or it was only stopped. */
  readonly failureClass: string | null;
  /** The same as a sentence. */
  readonly message: string | null;
  /** Path of the trail. */
  readonly trailPath: string;
  /** Writes the report for people, or as SARIF 2.1.0. */
  render(form: 'markdown' | 'sarif'): string;
}

/** What is developed, and by whom. */
export interface DevelopRequest {
  /** What is to be reached, where may be written, how it is judged; read by the product. */
  readonly contract: DevelopContract;
  /** Absolute path of the tree that is developed. */
  readonly candidate: string;
  /** Absolute path of the protected checks. */
  readonly checks?: string;
  /** The model of all phases. */
  readonly model: ModelSetting;
  /** Whether `build` and `debug` may run shell commands. */
  readonly shell?: boolean;
  /** Told what happens in a phase, as it happens. */
  readonly onEvent?: (
    event: RunEvent,
    phase: { readonly phase: WorkPhase; readonly round: number },
  ) => void;
}

/** A development that goes on. */
export interface DevelopHandle {
  /** Name of the goal. */
  readonly goalId: string;
  /** What it comes to; rejects only for a fault of the host. */
  readonly result: Promise<DevelopResult>;
  /** Suspends it: after the current operation, or now. */
  stop(options?: { readonly now?: boolean }): void;
}

/** What a development came to. */
export interface DevelopResult {
  /** Type of this document. */
  readonly kind: 'develop_result';
  /** Version of this document. */
  readonly schema_version: '1.0';
  /** Name of the goal. */
  readonly goal_id: string;
  /** How it stands. */
  readonly status: RunResult['status'];
  /** Why it is not a success; null when it is. */
  readonly message: string | null;
  /** What a person reviews. */
  readonly handoff: DevelopHandoff;
  /** Path of the patch; null before the first verdict. */
  readonly patch: string | null;
  /** What a person has to decide; empty unless it is held. */
  readonly holds: readonly RunHold[];
  /** The folder of handoff and patch. */
  readonly folder: string;
  /** Path of the trail. */
  readonly trail_path: string;
}

/** What the commands need of the product. */
export interface MillforgePort extends AsyncDisposable {
  /** The tools that a harness may name. */
  readonly catalog: ToolCatalog;
  /** The same tools, with all that is known of them. */
  readonly snapshot: RegistrySnapshot;
  /** Takes one call of one tool through the executor; null for a call that was only checked and passed. */
  tryTool(request: {
    /** Dotted id. */
    readonly toolId: string;
    /** Exact version. */
    readonly toolVersion: number;
    /** Arguments. */
    readonly input: unknown;
    /** Folder that the tool works in, absolute. */
    readonly workspace?: string;
    /** How far the call goes. */
    readonly upTo?: 'check' | 'run';
    /** Stops the call. */
    readonly signal?: AbortSignal;
  }): Promise<ToolTrial | null>;
  /** Admits and starts a run. */
  run(request: RunRequest): Promise<RunHandle>;
  /** Composes the harness that ships, for a folder and a model. */
  openBase(options: { readonly cwd: string; readonly model: ModelSetting }): Promise<BasePort>;
  /** Goes on with a suspended or crashed run; one that has ended gives its result again. */
  resume(runId: string, options?: ResumeOptions): Promise<RunHandle>;
  /** Answers a hold. */
  decide(runId: string, decision: DecisionRequest): Promise<RunResult>;
  /** Starts a bounded development, or goes on with the one that was admitted under this contract. */
  develop(request: DevelopRequest): Promise<DevelopHandle>;
  /** Begins a review of a commit. */
  review(request: ReviewRequest): Promise<ReviewHandle>;
  /** Goes on with a suspended or crashed review; one that has ended gives its report again. */
  resumeReview(reviewId: string, options?: ResumeReviewOptions): Promise<ReviewHandle>;
  /** Opens what is published of the runs. */
  publications(): Promise<PublicationPort>;
  /** The latest runs, newest first. */
  listRuns(): Promise<readonly RunSummary[]>;
  /** Whether a goal is a run, a review or a development. */
  goalKind(goalId: string): Promise<GoalKind>;
  /** How one run stands. */
  readRun(runId: string): Promise<RunResult>;
  /** The trail of one run, from its first record; with `follow` it goes on until the run ends. */
  readTrail(
    runId: string,
    options?: { readonly follow?: boolean; readonly signal?: AbortSignal },
  ): AsyncIterable<TrailRecord>;
  /** Writes the trail of one run as JSON Lines with all that is needed to verify it elsewhere. */
  exportTrail(runId: string): AsyncIterable<string>;
  /** Verifies an export and keeps it, to be read and never run; gives the name of its run. */
  importTrail(lines: AsyncIterable<string>): Promise<string>;
  /** Recomputes the trail of one run, or of all. */
  verifyTrail(runId?: string): Promise<TrailVerdict>;
  /** What works on this machine and why not. */
  doctor(): Promise<readonly DoctorFinding[]>;
}
