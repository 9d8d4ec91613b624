export {
  createToolTester,
  type ToolTester,
  type ToolTesterOptions,
  type ToolTrial,
} from './testing/create-tool-tester.ts';
