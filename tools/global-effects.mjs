import { existsSync, readdirSync, readFileSync } from 'node:fs';
import ts from 'typescript';

const GLOBALS = new Set([
  'Date.now',
  'Math.random',
  'crypto.getRandomValues',
  'crypto.randomUUID',
  'performance.now',
  'process.argv',
  'process.cwd',
  'process.env',
  'process.getBuiltinModule',
]);

/** The one module that is loaded late, where it may be. */
const AT_HOME = { 'process.getBuiltinModule': 'packages/contracts/src/json/sha256-node.ts' };

/** Uses of the clock, randomness, the environment and the network that need no import. */
export function globalEffects(exempt) {
  return readdirSync('packages')
    .filter((name) => !exempt.includes(name) && existsSync(`packages/${name}/src`))
    .flatMap((name) =>
      readdirSync(`packages/${name}/src`, { recursive: true, encoding: 'utf8' })
        .filter((file) => file.endsWith('.ts'))
        .flatMap((file) => inFile(`packages/${name}/src/${file}`)),
    );
}

function inFile(file) {
  const source = ts.createSourceFile(
    file,
    readFileSync(file, 'utf8'),
    ts.ScriptTarget.ES2022,
    true,
  );
  const bound = new Set();
  const uses = [];
  visit(source);
  return uses
    .filter(({ text }) => !bound.has(text.split('.')[0]) && AT_HOME[text] !== file)
    .map(({ line, text }) => `${file}:${line}: uses ${text}, which has to come in as an argument`);

  function visit(node) {
    if (isBinding(node) && ts.isIdentifier(node.name)) bound.add(node.name.text);
    const text = effectOf(node);
    if (text !== undefined) {
      uses.push({ text, line: source.getLineAndCharacterOfPosition(node.getStart()).line + 1 });
    }
    ts.forEachChild(node, visit);
  }
}

function isBinding(node) {
  return ts.isParameter(node) || ts.isVariableDeclaration(node) || ts.isBindingElement(node);
}

function effectOf(node) {
  if (ts.isPropertyAccessExpression(node)) {
    const text = node.getText().replace(/^globalThis\./, '');
    return GLOBALS.has(text) ? text : undefined;
  }
  if (ts.isNewExpression(node) && node.expression.getText() === 'Date') {
    return node.arguments === undefined || node.arguments.length === 0 ? 'Date' : undefined;
  }
  if (ts.isCallExpression(node) && /^(globalThis\.)?fetch$/.test(node.expression.getText())) {
    return 'fetch';
  }
  return undefined;
}
