import { CallPath, OneCall } from './call.ts'
import { defineOperation } from './operation.ts'

/** Analysis of calls that have ended. */

export const analyseCall = defineOperation({
  name: 'analyseCall',
  method: 'POST',
  path: '/api/v1/calls/{callId}/analysis',
  tag: 'Calls',
  summary: 'Analyze a call again',
  description:
    'Repeats the analysis of a call that has ended, with the stored data and the settings of its agents, and ' +
    'sends `call_analyzed` again. If no model responds, the previous results are kept.',
  access: 'calls',
  workspace: 'inferred',
  pathParameters: CallPath,
  result: OneCall,
  errors: ['in_use', 'call_not_stored', 'provider_error', 'provider_timeout'],
})
