"""Operations as generators, for both clients; see _requests.py."""
