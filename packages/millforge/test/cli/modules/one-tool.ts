export { countWords } from './word-tools.ts';
