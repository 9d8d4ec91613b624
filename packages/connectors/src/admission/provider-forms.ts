import {
  digest,
  type ProviderSchemaChange,
  SCHEMA_DIALECTS,
  type SchemaDialect,
  type ToolDescriptor,
  toProviderSchema,
} from '@millforge/contracts';

/** What each kind of model server is told of the arguments of one admitted tool. */
export interface AdmittedForms {
  /** Dotted id of the tool. */
  readonly tool_id: string;
  /** Its version. */
  readonly tool_version: number;
  /** One for each dialect, in their order. */
  readonly forms: readonly AdmittedForm[];
}

/** The form of one tool's arguments for one kind of model server. */
export interface AdmittedForm {
  /** Kind of server. */
  readonly dialect: SchemaDialect;
  /** Digest of the form; null where the dialect has none. */
  readonly schema_sha256: string | null;
  /** What the form says otherwise than the admitted schema, which is the one that is enforced. */
  readonly changes: readonly ProviderSchemaChange[];
  /** Why there is no form; null where there is one. */
  readonly fault: string | null;
}

/** Makes the forms of an admitted tool. */
export function makeForms(descriptor: ToolDescriptor): AdmittedForms {
  return {
    tool_id: descriptor.tool_id,
    tool_version: descriptor.tool_version,
    forms: SCHEMA_DIALECTS.map((dialect) => {
      const { schema, changes, fault } = toProviderSchema(descriptor.input_schema, dialect);
      return { dialect, schema_sha256: schema === null ? null : digest(schema), changes, fault };
    }),
  };
}
