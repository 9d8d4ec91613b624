/** What a goal of a data directory is: it says which command goes on with it. */
export type GoalKind = 'run' | 'review' | 'development';
