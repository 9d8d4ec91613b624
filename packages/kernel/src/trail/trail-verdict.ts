/** Whether a trail holds, or the first thing that does not. */
export type TrailVerdict =
  | {
      /** Everything holds. */
      readonly ok: true;
      /** Goals looked at. */
      readonly goals: number;
      /** Trail records looked at. */
      readonly records: number;
    }
  | {
      /** Something does not hold. */
      readonly ok: false;
      /** Goal in question. */
      readonly goal: string;
      /** Trail record in question; the last one when a row or a payload disagrees with the trail. */
      readonly seq: number;
      /** One sentence that names what differs. */
      readonly what: string;
    };
