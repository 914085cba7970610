import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useRef, useState } from 'react'
import { refresh, useAnswer } from '../../lib/api/hooks.ts'
import { isWorking, listingOf } from './source-facts.ts'

/** So often is looked how far reading has come, while something is being read. */
export const WATCH_EVERY_MS = 2_000

/** A knowledge base with its newest sources, watched while something is being read. */
export function useBase(knowledgeBaseId: string) {
  const client = useQueryClient()
  const [isWatching, setIsWatching] = useState(false)
  const answer = useAnswer(
    'getKnowledgeBase',
    { path: { knowledgeBaseId } },
    { everyMs: isWatching ? WATCH_EVERY_MS : false },
  )
  const base = answer.data?.value
  const isBusy = base !== undefined && isWorking(base.status)
  if (isBusy !== isWatching) setIsWatching(isBusy)

  // The list itself is read page by page, and again only when it has other rows or the last one is ready.
  const listing = base === undefined ? null : listingOf(base)
  const shown = useRef(listing)
  useEffect(() => {
    const before = shown.current
    shown.current = listing
    if (before !== null && before !== listing) void refresh(client, ['listKnowledgeSources', 'listKnowledgeBases'])
  }, [listing, client])
  return answer
}
