import type { Mutation } from './mutation.ts'

const area = 'retrieval'
const RETRIEVAL = 'packages/retrieval/src'
const SEARCH = 'packages/server/src/features/knowledge/retrieval'

/** Faults in knowledge bases: cutting documents, ranking, filters and freshness. */
export const RETRIEVAL_FAULTS: readonly Mutation[] = [
  {
    id: 'passage-too-long',
    area,
    behavior: 'Passages are longer than the size that the knowledge base is set to.',
    before: {
      file: `${RETRIEVAL}/chunking/pack-blocks.ts`,
      find: 'return one.text.length + PARAGRAPH_SEPARATOR.length + other.text.length <= sizes.maxChunkSize',
      replace: 'return one.text.length + other.text.length <= sizes.maxChunkSize',
    },
    after: {
      file: `${RETRIEVAL}/chunking/pack-blocks.ts`,
      find: 'return first.text.length + PARAGRAPH_SEPARATOR.length + second.text.length <= sizes.maxChunkSize',
      replace: 'return first.text.length + second.text.length <= sizes.maxChunkSize',
    },
  },
  {
    id: 'list-without-lead-in',
    area,
    behavior: 'The second half of a long list is found without "not covered are:", and reads as the opposite.',
    before: {
      file: `${RETRIEVAL}/chunking/pack-blocks.ts`,
      find: 'leadIn.text.length <= maxSize / LEAD_IN_SHARE',
      replace: 'leadIn.text.length >= maxSize / LEAD_IN_SHARE',
    },
  },
  {
    id: 'score-filter-ignored',
    area,
    behavior: 'Answers draw on passages that score below the minimum of the knowledge base.',
    before: {
      file: `${RETRIEVAL}/lexical/search.ts`,
      find: 'if (scoreOf(chunk) >= query.filterScore) lexical.offer(chunk, scores.ranks[chunk] as number)',
      replace: 'lexical.offer(chunk, scores.ranks[chunk] as number)',
    },
    after: {
      file: `${RETRIEVAL}/lexical/search.ts`,
      find: 'if (getScore(chunk) >= query.filterScore) lexical.offer(chunk, scores.ranks[chunk] as number)',
      replace: 'lexical.offer(chunk, scores.ranks[chunk] as number)',
    },
  },
  {
    id: 'oldest-words-searched',
    area,
    behavior: 'A short follow-up question is searched with the first words of the conversation, not the last.',
    before: {
      file: 'packages/engine/src/dialogue/knowledge/build-query.ts',
      find: '    .reverse()\n',
      replace: '',
    },
  },
  {
    id: 'foreign-base-not-missing',
    area,
    behavior:
      'A search in a knowledge base of another workspace finds nothing instead of being told that it is missing.',
    before: {
      file: `${SEARCH}/retrieval-store.ts`,
      find: `        .where('workspace_id', '=', workspaceId)
        .where('knowledge_base_id', 'in', knowledgeBaseIds)`,
      replace: "        .where('knowledge_base_id', 'in', knowledgeBaseIds)",
    },
  },
  {
    id: 'changed-base-searched-as-before',
    area,
    behavior: 'Passages that were added to a knowledge base are not found until the server restarts.',
    before: {
      file: `${SEARCH}/base-indexes.ts`,
      find: 'while (indexed.revision < revision) {',
      replace: 'while (indexed.revision < 0) {',
    },
    after: {
      file: `${SEARCH}/base-indexes.ts`,
      find: 'while (base.revision < revision) {',
      replace: 'while (base.revision < 0) {',
    },
  },
]
