import { describe, expect, it } from 'vitest'

import { countAt, LONGEST_GAP, moved, neighbour, reel, runAt, toggled } from './replay'
import { after, type Told } from './run'

function event(seconds: number, type = 'signal', data: Record<string, unknown> = {}): Told {
  return { type, data, ts: new Date(Date.UTC(2026, 10, 15) + seconds * 1000).toISOString(), cursor: '' }
}

describe('a replay', () => {
  it('keeps short waits and cuts long ones', () => {
    const made = reel([event(0), event(1), event(600), event(601)])

    expect(made.offsets).toEqual([0, 1000, 1000 + LONGEST_GAP, 2000 + LONGEST_GAP])
    expect(made.length).toBe(2000 + LONGEST_GAP)
  })

  it('bears times that go backwards or say nothing', () => {
    const made = reel([event(10), event(5), { ...event(0), ts: 'soon' }, event(11)])

    expect(made.offsets.every((offset, index) => !index || offset > made.offsets[index - 1]!)).toBe(true)
  })

  it('knows which events have come at a moment', () => {
    const made = reel([event(0), event(1), event(2)])

    expect([-1, 0, 999, 1000, 5000].map((moment) => countAt(made, moment))).toEqual([0, 1, 1, 2, 3])
  })

  it('gives the same run at any place as reading from the beginning', () => {
    const events = Array.from({ length: 350 }, (_, at) =>
      at % 2 ? event(at, 'task_complete', { task_id: `t${at - 1}`, success: true }) : event(at, 'task_start', { task_id: `t${at}` }),
    )
    const made = reel(events)

    for (const count of [0, 1, 99, 100, 101, 250, 350]) {
      expect(runAt(made, count)).toEqual(after(events.slice(0, count)))
    }
  })

  it('steps from event to event and stays within', () => {
    const made = reel([event(0), event(1), event(2)])

    expect(neighbour(made, 0, 1)).toBe(1000)
    expect(neighbour(made, 1500, 1)).toBe(2000)
    expect(neighbour(made, 2000, 1)).toBe(2000)
    expect(neighbour(made, 2000, -1)).toBe(1000)
    expect(neighbour(made, 0, -1)).toBe(0)
    expect(neighbour(reel([]), 0, 1)).toBe(0)
  })

  it('plays at its speed, stops at the end, and begins anew from there', () => {
    const playing = toggled({ moment: 0, playing: false, speed: 4 }, 2000)
    expect(playing.playing).toBe(true)

    const further = moved(playing, 250, 2000)
    expect(further).toEqual({ moment: 1000, playing: true, speed: 4 })
    const over = moved(further, 9000, 2000)
    expect(over).toEqual({ moment: 2000, playing: false, speed: 4 })
    expect(moved(over, 100, 2000)).toBe(over)
    expect(toggled(over, 2000)).toMatchObject({ moment: 0, playing: true })
  })

  it('has nothing to play of a run without events', () => {
    expect(toggled({ moment: 0, playing: false, speed: 1 }, reel([]).length).playing).toBe(false)
  })
})
