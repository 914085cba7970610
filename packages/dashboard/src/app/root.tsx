import { Outlet } from '@tanstack/react-router'
import { lazy, Suspense } from 'react'
import { signInGate } from '../lib/api/sign-in-gate.ts'
import { useStore } from '../lib/store.ts'

const SignInAgain = lazy(async () => ({ default: (await import('./sign-in-again.tsx')).SignInAgain }))

/** Every page, and over it the question for a new login when the one of the page has ended. */
export function Root() {
  const isSignedOut = useStore(signInGate)
  return (
    <>
      <Outlet />
      <Suspense>{isSignedOut && <SignInAgain />}</Suspense>
    </>
  )
}
