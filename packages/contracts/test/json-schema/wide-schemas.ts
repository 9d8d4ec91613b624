import * as fc from 'fast-check';

/** Schemas as authors write them, with every keyword of the wider subset; all of them are accepted. */
export const anyWideSchema: fc.Arbitrary<object> = fc.letrec<{ schema: object }>((tie) => ({
  schema: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    fc.oneof(text(), number(), fc.constant({ type: 'boolean' }), choice()).chain(described),
    fc
      .record({ items: tie('schema'), minItems: fc.nat(2), isNullable: fc.boolean() })
      .map(({ items, minItems, isNullable }) => ({
        type: isNullable ? ['array', 'null'] : 'array',
        items,
        minItems,
        maxItems: minItems + 1,
      })),
    fc
      .record({
        properties: fc.dictionary(fc.constantFrom('a', 'b', '__proto__'), tie('schema')),
        isRequired: fc.boolean(),
      })
      .map(({ properties, isRequired }) => ({
        type: 'object',
        additionalProperties: false,
        properties,
        required: isRequired ? Object.keys(properties) : [],
      })),
    tie('schema').chain((inner) =>
      fc.constantFrom(
        {
          anyOf: [
            { type: 'array', items: inner },
            { type: 'integer', minimum: 7 },
          ],
          title: 'one of',
        },
        { anyOf: [{ type: 'array', items: inner }, { type: 'null' }] },
      ),
    ),
  ),
})).schema;

function text(): fc.Arbitrary<object> {
  return fc.oneof(
    fc.nat(5).map((minLength) => ({ type: 'string', minLength, maxLength: minLength + 2 })),
    fc.constantFrom(
      { type: 'string' },
      { type: 'string', enum: ['a', 'b'] },
      { type: ['string', 'null'], enum: ['a', null] },
      { type: 'string', pattern: '^[a-c]{1,3}$' },
      { type: 'string', format: 'ipv4' },
      { type: 'string', nullable: true },
    ),
  );
}

function number(): fc.Arbitrary<object> {
  return fc
    .record({
      type: fc.constantFrom('integer', 'number'),
      low: fc.integer({ min: -50, max: 50 }),
      isOpen: fc.boolean(),
    })
    .map(({ type, low, isOpen }) =>
      isOpen
        ? { type, exclusiveMinimum: low, exclusiveMaximum: low + 5 }
        : { type, minimum: low, maximum: low + 5 },
    );
}

function choice(): fc.Arbitrary<object> {
  return fc.constantFrom<object>(
    { const: 'a' },
    { const: null },
    {
      oneOf: [
        { const: 'a', title: 'A' },
        { const: 'b', description: 'B' },
      ],
    },
    { oneOf: [{ const: 'a' }, { const: 'b' }] },
    { anyOf: [{ const: 1 }, { const: 'x', title: 'X' }, { const: null }] },
  );
}

function described(schema: object): fc.Arbitrary<object> {
  return fc
    .record(
      { title: fc.string({ maxLength: 5 }), description: fc.string({ maxLength: 5 }) },
      { requiredKeys: [] },
    )
    .map((words) => ({ ...schema, ...words }));
}
