import { describe, expect, it } from 'vitest'

import { after, nothing, phaseState, spent, step, taskTree, type Told } from './run'

let line = 0
function told(type: string, data: Record<string, unknown> = {}): Told {
  line += 1
  return { type, data, ts: `2026-11-15T10:00:${String(line % 60).padStart(2, '0')}Z`, cursor: String(line) }
}

const plan = told('plan_complete', {
  approach: 'Add a session store',
  stance: 'careful',
  tasks: [
    { id: 't1', description: 'Write it', mode: 'code', depends_on: [], produces: ['a.py'], target_path: 'a.py' },
    { id: 't2', description: 'Test it', mode: 'test', depends_on: ['t1'], produces: [] },
  ],
  criteria: ['It logs in'],
  anti_criteria: ['No Redis'],
  gates: ['pytest'],
  rejected_plans: [{ stance: 'bold', why: 'uses Redis', score: 0.2 }],
})
const beginning = [told('orient', { ids: ['DEC-1', 'FAIL-2'], learnings: 1 }), told('plan_start'), plan]

describe('a run by its events', () => {
  it('goes through its phases', () => {
    const begun = after(beginning)
    expect(begun.used).toEqual(['DEC-1', 'FAIL-2'])
    expect(phaseState(begun, 'orient', 'running')).toBe('done')
    expect(phaseState(begun, 'plan', 'running')).toBe('active')
    expect(phaseState(begun, 'execute', 'running')).toBe('waiting')

    const carried = after([told('task_start', { task_id: 't1' }), told('task_complete', done('t1'))], begun)
    expect(carried.tasks.map((task) => task.state)).toEqual(['done', 'waiting'])
    expect(carried.files).toEqual(['a.py'])
    expect(carried.budget?.spentTokens).toBe(120)
  })

  it('stays in validation while it mends, and adds the mending task', () => {
    const mending = after(
      [
        told('validation_start', { gate: 'pytest', command: 'pytest -q' }),
        told('validation_failed', { gate: 'pytest', error: '1 failed' }),
        told('task_start', { task_id: 'fix-1', description: 'Mend: 1 failed' }),
      ],
      after(beginning),
    )

    expect(mending.phase).toBe('validate')
    expect(mending.gates).toMatchObject([{ name: 'pytest', state: 'failed', error: '1 failed', tries: 1 }])
    expect(mending.tasks.at(-1)).toMatchObject({ id: 'fix-1', state: 'running' })

    const mended = after([told('validation_start', { gate: 'pytest' }), told('validation_passed', { gate: 'pytest', seconds: 2 })], mending)
    expect(mended.gates).toMatchObject([{ state: 'passed', tries: 2, error: '' }])
  })

  it('ends with its criteria and what was learned', () => {
    const ended = after(
      [
        told('decision_made', { candidate: { id: 'DEC-9', type: 'decision', title: 'Use SQLite' } }),
        told('decision_made', { candidate: { id: 'DEC-9', type: 'decision', title: 'Use SQLite' } }),
        told('complete', { success: true, criteria: [{ text: 'It logs in', met: true, evidence: 'a test' }] }),
      ],
      after(beginning),
    )

    expect(ended.added).toEqual([{ id: 'DEC-9', type: 'decision', title: 'Use SQLite' }])
    expect(ended).toMatchObject({ over: true, success: true })
    expect(ended.criteria).toEqual([{ text: 'It logs in', anti: false, met: true, evidence: 'a test' }])
    expect(phaseState(ended, 'learn', 'complete')).toBe('done')
  })

  it('shows where a cancelled run stopped and what it never reached', () => {
    const stopped = step(after(beginning), told('task_start', { task_id: 't1' }))

    expect(phaseState(stopped, 'execute', 'cancelled')).toBe('failed')
    expect(phaseState(stopped, 'validate', 'cancelled')).toBe('skipped')
  })

  it('keeps the plan and the tasks done when it is resumed', () => {
    const ended = after([...beginning, told('cancelled', { message: 'cancelled from another terminal', way: 'terminal', by: '' })])
    expect([ended.over, ended.success, ended.why, ended.approvals]).toEqual([true, undefined, 'cancelled from another terminal', []])
    const stopped = after([...beginning, told('task_complete', done('t1')), told('error', { message: 'no model', hint: 'x' })])
    expect(stopped).toMatchObject({ over: true, success: false, why: 'no model' })

    const resumed = after([told('orient', { ids: ['DEC-3'] }), told('plan_start', { resumed: true }), plan], stopped)

    expect(resumed).toMatchObject({ over: false, why: '', phase: 'plan' })
    expect(resumed.tasks.map((task) => task.state)).toEqual(['done', 'waiting'])
    expect(resumed.used).toEqual(['DEC-1', 'FAIL-2', 'DEC-3'])
  })

  it('asks for an approval once, until it is given', () => {
    const asked = after([told('approval_needed', { approvalId: 'a1', what: 'write a.py', diff: '+x' }), told('approval_needed', { approvalId: 'a1' })])
    expect(asked.approvals).toEqual([{ approvalId: 'a1', what: 'write a.py', diff: '+x', command: '', why: '' }])

    expect(step(asked, told('approval_given', { approvalId: 'a1' })).approvals).toEqual([])
  })

  it('is not hurt by events that are not as they should be', () => {
    const odd = [told('plan_complete', { tasks: 'no', gates: [1], rejected_plans: [null] }), told('task_complete', {}),
      told('validation_passed'), told('learning_added', { candidate: [] }), told('surprise', { a: 1 })]

    expect(after(odd)).toMatchObject({ ...nothing, phase: 'learn', since: expect.anything() })
  })
})

describe('tasks', () => {
  it('stand below what they depend on, circles and strangers aside', () => {
    const { tasks } = after([
      told('plan_complete', {
        tasks: [
          { id: 'a' }, { id: 'b', depends_on: ['a'] }, { id: 'c', depends_on: ['b', 'gone'] },
          { id: 'x', depends_on: ['y'] }, { id: 'y', depends_on: ['x'] },
        ],
      }),
    ])

    const depths = Object.fromEntries(taskTree(tasks).map(({ task, depth }) => [task.id, depth]))
    expect(depths).toMatchObject({ a: 0, b: 1, c: 2 })
    expect(depths.x! + depths.y!).toBeLessThan(3)
  })

  it('have no share of a budget without a limit', () => {
    expect(spent(50, 100)).toBe(0.5)
    expect(spent(500, 100)).toBe(1)
    expect(spent(5, 0)).toBeUndefined()
  })
})

function done(id: string): Record<string, unknown> {
  return { task_id: id, success: true, files: ['a.py'], duration_ms: 40, budget: { tokens: 1000, spent_tokens: 120 } }
}
