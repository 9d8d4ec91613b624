/** Told of the moment around an effect; what it throws breaks the call off at that point. */
export type OnEffect = (phase: 'before-effect' | 'after-effect', what: string) => void;
