export { FAILPOINTS, type Failpoint } from './failpoints.ts';
