"""The agent: a goal, memory before the plan, along with every task, and out again after.

Commands: run, chat, runs
Routes: runs
Library: Agent, RunOptions, Trust
"""
